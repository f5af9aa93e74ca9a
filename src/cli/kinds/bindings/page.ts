import { latestOf } from '../../../engine/kernel/latest-of.ts';
import { recordedDecision } from '../../../engine/placement/selected.ts';
import { whyNotSettled } from '../../../report/waits/why-late.ts';
import type { Bound } from '../../status/known-placements.ts';
import type { Status } from '../../status/open-status.ts';
import { conditionTable, fields, titled } from '../page-text.ts';
import { overridesOf, troubles } from './troubles.ts';

/** One cluster of a placement: what it is to have, why it was picked, and what is not as it should be. */
export function bindingPage({ name, kind }: BindingName, bound: Bound, status: Status): string[] {
  const { placement, binding } = bound;
  const { targetCluster, state, deleting, resourceSnapshotIndex, policySnapshotIndex, conditions } = binding;
  const latest = latestOf(placement.state.resourceSnapshots)?.index;
  const age = resourceSnapshotIndex === latest ? 'the latest' : `the latest is ${latest ?? '<none>'}`;
  const wrong = troubles(binding);
  return [
    fields([
      ['Name', name],
      placement.namespace === undefined ? undefined : ['Namespace', placement.namespace],
      ['Kind', kind],
      ['Placement', placement.title],
      ['Cluster', targetCluster],
      ['State', deleting ? 'being removed' : state],
      ['Snapshot', resourceSnapshotIndex === undefined ? undefined : `${resourceSnapshotIndex}, ${age}`],
      ['Policy', policySnapshotIndex === undefined ? undefined : `snapshot ${policySnapshotIndex}`],
      ['Picked', recordedDecision(binding).reason],
      ['Overrides', overridesOf(binding).join(', ')],
      ['Waits for', whyNotSettled(bound, status) ?? 'nothing, it is up to date'],
    ]),
    titled('Conditions', conditionTable(conditions)),
    ...(wrong.length === 0 ? [] : [titled('Not as desired', wrong.join('\n'))]),
  ];
}

interface BindingName {
  readonly name: string;
  readonly kind: string;
}
