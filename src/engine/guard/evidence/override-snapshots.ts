import type { OverrideSnapshot } from '../../../api/override.ts';
import type { Evidence } from './evidence.ts';

/**
 * The override snapshot of a kind by its id, such as `size-3`; in `shop.size-3` of namespace `shop`. Undefined = neither record nor plan
 * has it.
 */
export function overrideReader({
  record,
  plan,
}: Pick<Evidence, 'record' | 'plan'>): (kind: OverrideSnapshot['kind'], id: string) => OverrideSnapshot | undefined {
  return (kind, id) => {
    const at = id.lastIndexOf('-');
    const [folder, index] = [id.slice(0, at), id.slice(at + 1)];
    const taken = plan.record.get(`overrides/${folder}/${index}.yaml`)?.value as OverrideSnapshot | undefined;
    const recorded = record.overrides.get(folder)?.filter((snapshot) => String(snapshot.index) === index) ?? [];
    return [taken, ...recorded].find((snapshot) => snapshot?.kind === kind);
  };
}
