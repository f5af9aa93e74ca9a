import { expect, it } from 'vitest';
import type { FleetObject } from '../../../src/api/kinds.ts';
import { annotationIssues, labelIssues } from '../../../src/repo/fleet/annotation-issues.ts';

const told = (kind: FleetObject['kind'], key: string, value = 'x'): string[] =>
  annotationIssues({ kind, metadata: { name: 'web', annotations: { [key]: value } } } as unknown as FleetObject).map(
    ({ severity, path, message, fix }) => `${severity} ${path.at(-1)}: ${message}: ${fix}`,
  );

it.each<[FleetObject['kind'], string, string]>([
  ['ClusterResourcePlacement', 'gitfleet.dev/suspended', 'audit'],
  ['ResourcePlacement', 'gitfleet.dev/suspended', ''],
  ['ClusterStagedUpdateRun', 'gitfleet.dev/on-membership-change', 'abort'],
  ['ClusterStagedUpdateRun', 'gitfleet.dev/record-lost', 'sha256:1'],
  ['ClusterStagedUpdateRun', 'gitfleet.dev/progress-deadline', '30m'],
  ['StagedUpdateRun', 'gitfleet.dev/max-failures', '5%'],
  ['StagedUpdateRun', 'gitfleet.dev/on-failure', 'rollback'],
  ['ClusterResourcePlacementDisruptionBudget', 'gitfleet.dev/budget-scope', 'all'],
  ['ApprovalRequest', 'gitfleet.dev/review', 'sha256:1'],
  ['MemberCluster', 'gitfleet.dev/upgrade-provider', 'aks'],
  ['MemberCluster', 'property.gitfleet.dev/latency', '5'],
  ['MemberCluster', 'example.com/suspend', ''],
])('there is no warning on a %s of %s: %s', (kind, key, value) => {
  expect(told(kind, key, value)).toEqual([]);
});

it.each<[FleetObject['kind'], string, string, string]>([
  [
    'ClusterResourcePlacement',
    'gitfleet.dev/suspend',
    'nothing reads gitfleet.dev/suspend of a ClusterResourcePlacement',
    'did you mean gitfleet.dev/suspended?',
  ],
  [
    'UpdateRun',
    'gitfleet.dev/progress-deadline',
    'nothing reads gitfleet.dev/progress-deadline of a UpdateRun',
    'it is a field: write spec.progressDeadline',
  ],
  [
    'ClusterStagedUpdateRun',
    'gitfleet.dev/suspended',
    'nothing reads gitfleet.dev/suspended of a ClusterStagedUpdateRun',
    'remove gitfleet.dev/suspended',
  ],
  [
    'StagedUpdateRun',
    'gitfleet.dev/on-membership-change',
    'the only value of gitfleet.dev/on-membership-change that has an effect is abort',
    'write abort',
  ],
  [
    'MemberCluster',
    'gitfleet.dev/upgrade-provider',
    '"x" is no value of gitfleet.dev/upgrade-provider that has an effect',
    'write one of cluster-api, aks, system-upgrade-controller, simulated',
  ],
])('an annotation without effect on a %s is reported: %s', (kind, key, message, fix) => {
  expect(told(kind, key)).toEqual([`warning ${key}: ${message}: ${fix}`]);
});

it('a label that nothing reads is told where it was meant to be one, or an annotation', () => {
  const labelled = (key: string): string[] =>
    labelIssues({
      kind: 'MemberCluster',
      metadata: { name: 'a', labels: { [key]: 'x' } },
    } as unknown as FleetObject).map(({ severity, message, fix }) => `${severity} ${message}: ${fix}`);
  expect(labelled('gitfleet.dev/update-group')).toEqual([]);
  expect(labelled('gitfleet.dev/team')).toEqual([]);
  expect(labelled('gitfleet.dev/update-grop')).toEqual([
    'warning nothing reads the label gitfleet.dev/update-grop of a MemberCluster: did you mean gitfleet.dev/update-group?',
  ]);
  expect(labelled('gitfleet.dev/upgrade-provider')).toEqual([
    'warning nothing reads the label gitfleet.dev/upgrade-provider of a MemberCluster: it is an annotation: move it to metadata.annotations',
  ]);
  expect(told('MemberCluster', 'gitfleet.dev/update-group')).toEqual([
    'warning gitfleet.dev/update-group: nothing reads gitfleet.dev/update-group of a MemberCluster: it is a label: move it to metadata.labels',
  ]);
});
