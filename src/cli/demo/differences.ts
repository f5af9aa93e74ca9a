import type { Binding } from '../../api/placement-state.ts';
import { newlyListed } from '../../daemon/record/newly-listed.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { recordedObjects } from '../../repo/record/recorded-objects.ts';
import { titleOf } from '../../repo/title-of.ts';
import { isPutRight } from '../status/difference-lines.ts';
import type { Told } from './told.ts';

/** What members hold otherwise than they should, where that is only reported; what was put right has been told by them. */
export function aboutDifferences(before: Plan | undefined, next: Plan): Told[] {
  const was = before ? bindingsOf(before) : new Map<string, Bound>();
  return [...bindingsOf(next)].flatMap(([key, { subject, binding }]): Told[] => {
    const { targetCluster: at } = binding;
    const old = was.get(key)?.binding;
    const told: Told[] = [];
    for (const { listed, found, over, looked } of kinds) {
      const news = newlyListed(listed(old), listed(binding));
      if (news !== undefined) told.push({ tone: 'bad', subject, text: `≠ ${at}: ${found}: ${news}` });
      // Under another snapshot or strategy nothing is listed either, before members have been looked at.
      else if (
        listed(old).length > 0 &&
        listed(binding).length === 0 &&
        conditionIs(binding.conditions, looked, 'True')
      )
        told.push({ tone: 'good', subject, text: `✓ ${at}: ${over}` });
    }
    return told;
  });
}

const kinds = [
  {
    listed: (binding: Binding | undefined) => (binding?.driftedPlacements ?? []).filter((it) => !isPutRight(it)),
    found: 'has drifted',
    over: 'its drift is over',
    looked: 'Applied',
  },
  {
    listed: (binding: Binding | undefined) => binding?.diffedPlacements ?? [],
    found: 'differs',
    over: 'no longer differs',
    looked: 'DiffReported',
  },
] as const;

interface Bound {
  readonly subject: string;
  readonly binding: Binding;
}

/** What the plan remembers of the clusters that keep a placement. */
function bindingsOf(plan: Plan): Map<string, Bound> {
  const bindings = new Map<string, Bound>();
  for (const [key, { value }] of recordedObjects('states', plan))
    for (const binding of value.bindings)
      if (!binding.deleting)
        bindings.set(`${key} ${binding.targetCluster}`, { subject: titleOf(value.metadata), binding });
  return bindings;
}
