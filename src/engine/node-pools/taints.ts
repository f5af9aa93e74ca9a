import { listAt, textAt } from './read-fields.ts';

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export function taintsAt(value: unknown, ...path: readonly string[]): readonly Taint[] {
  return listAt(value, ...path).flatMap((item): Taint[] => {
    const [key, effect, timeAdded] = [textAt(item, 'key'), textAt(item, 'effect'), textAt(item, 'timeAdded')];
    if (key === undefined || effect === undefined) return [];
    return [{ key, value: textAt(item, 'value') ?? '', effect, ...(timeAdded === undefined ? {} : { timeAdded }) }];
  });
}

/** Whether a list of tolerations, as a pod has it, tolerates a taint (core/v1 Toleration.ToleratesTaint). */
export const tolerates = (
  tolerations: readonly unknown[],
  { key, value, effect }: Pick<Taint, 'key' | 'value' | 'effect'>,
): boolean =>
  tolerations.some((toleration) => {
    const [onKey = '', onEffect = ''] = [textAt(toleration, 'key'), textAt(toleration, 'effect')];
    if (onEffect !== '' && onEffect !== effect) return false;
    if (onKey !== '' && onKey !== key) return false;
    const operator = textAt(toleration, 'operator') ?? 'Equal';
    if (operator === 'Exists') return true;
    return onKey !== '' && (operator === 'Equal' || operator === '') && (textAt(toleration, 'value') ?? '') === value;
  });

export const sameTaint = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/** Karpenter's, on nodes that it is about to remove. */
export const karpenterDisrupted: Taint = { key: 'karpenter.sh/disrupted', value: '', effect: 'NoSchedule' };
