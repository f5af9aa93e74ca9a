import { latestOf } from '../../../engine/kernel/latest-of.ts';
import { recordedDecision } from '../../../engine/placement/selected.ts';
import { snapshotText } from '../../../report/applied-snapshot.ts';
import { whyNotSettled } from '../../../report/waits/why-late.ts';
import type { Bound } from '../../status/known-placements.ts';
import type { Status } from '../../status/open-status.ts';
import { conditionTable, fields, titled } from '../page-text.ts';
import { objectIssues, overridesOf } from './object-issues.ts';

/** One cluster of a placement: its snapshot, why it was picked, and what fails or differs. */
export function bindingPage({ name, kind }: BindingName, bound: Bound, status: Status): string[] {
  const { placement, binding } = bound;
  const { targetCluster, state, deleting, resourceSnapshotIndex, policySnapshotIndex, conditions } = binding;
  const snapshot = snapshotText(binding, status.unreachable.has(targetCluster));
  const latest = latestOf(placement.state.resourceSnapshots)?.index;
  const age = resourceSnapshotIndex === latest ? 'the latest' : `the latest is ${latest ?? '<none>'}`;
  const issues = objectIssues(binding);
  return [
    fields([
      ['Name', name],
      placement.namespace === undefined ? undefined : ['Namespace', placement.namespace],
      ['Kind', kind],
      ['Placement', placement.title],
      ['Cluster', targetCluster],
      ['State', deleting ? 'being removed' : state],
      ['Snapshot', snapshot && snapshotLine(snapshot, { isApplied: snapshot === `${resourceSnapshotIndex}`, age })],
      ['Policy', policySnapshotIndex === undefined ? undefined : `snapshot ${policySnapshotIndex}`],
      ['Picked', recordedDecision(binding).reason],
      ['Overrides', overridesOf(binding).join(', ')],
      ['Waits for', whyNotSettled(bound, status) ?? 'nothing, it is up to date'],
    ]),
    titled('Conditions', conditionTable(conditions, status.now)),
    ...(issues.length === 0 ? [] : [titled('Not as desired', issues.join('\n'))]),
  ];
}

const snapshotLine = (snapshot: string, { isApplied, age }: { readonly isApplied: boolean; readonly age: string }) =>
  isApplied ? `${snapshot}, ${age}` : `${snapshot} (${age})`;

interface BindingName {
  readonly name: string;
  readonly kind: string;
}
