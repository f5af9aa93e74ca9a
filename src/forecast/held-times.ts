import type { Hold } from '../engine/plan-document.ts';
import type { Wait } from './spans.ts';
import type { ForecastStep } from './steps.ts';

const reasons = { freeze: 'Freeze', window: 'WindowClosed' } as const satisfies Partial<
  Record<Wait['kind'], Hold['reason']>
>;

/** Times in which holds of a kind stand against an object, by stage; those of the object as a whole under ''. */
export function heldTimes(
  steps: readonly ForecastStep[],
  { kind, name, namespace }: Pick<Hold['subject'], 'kind' | 'name' | 'namespace'>,
  wait: keyof typeof reasons,
): ReadonlyMap<string, readonly Wait[]> {
  const found = new Map<string, Wait[]>();
  const open = new Set<string>();
  for (const { now, result } of steps) {
    const { pause } = result.contents.world;
    const held = new Map(
      result.plan.holds
        .filter(
          ({ reason, subject }) =>
            reason === reasons[wait] &&
            subject.kind === kind &&
            subject.name === name &&
            subject.namespace === namespace,
        )
        .map(({ subject, message }) => [subject.stage ?? '', message]),
    );
    for (const [stage, message] of held) {
      if (open.has(stage)) continue;
      open.add(stage);
      // An annotation of a placement may hold it too.
      const { freeze } = pause.kind === 'paused' && message.endsWith(pause.endsWhen) ? pause : {};
      found.set(stage, [
        ...(found.get(stage) ?? []),
        { kind: wait, from: now, ...(freeze !== undefined && { freeze }) },
      ]);
    }
    for (const stage of open.difference(held)) {
      open.delete(stage);
      const list = found.get(stage)!;
      found.set(stage, [...list.slice(0, -1), { ...list.at(-1)!, to: now }]);
    }
  }
  return found;
}
