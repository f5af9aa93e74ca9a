import { describe, expect, it } from 'vitest';
import { carriedOut, member, type Planned, placement, plan, rendered, seen, shop } from '../../support/plan-command.ts';

const other = placement('').replace('name: web', 'name: other').replace('/v1\n', '/v1beta1\n');
const override = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourceOverride
metadata: {name: o}
spec:
  clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: shop}]
  policy:
    overrideRules:
    - clusterSelector: {clusterSelectorTerms: []}
      jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {site: here}}]
`;
const fleet = (files: Readonly<Record<string, string>>) => ({
  'clusters/all.yaml': ['a', 'b'].map((name) => member(name)),
  'resources/shop.yaml': shop,
  'placements/web.yaml': placement(''),
  'placements/other.yaml': other,
  'overrides/o.yaml': override,
  ...files,
});
/** As `kubectl get -o yaml` prints an object whose finalizers keep it in place. */
const leaving = (text: string): string =>
  text
    .replace(/metadata:\s+name: (\w+)/, 'metadata: {name: $1}')
    .replace(/metadata: \{/, 'metadata: {finalizers: [x], deletionTimestamp: "2026-11-20T09:00:00Z", ');

it('a placement with a deletionTimestamp is removed from its clusters, as if its file were deleted, and its file is reported', async () => {
  const first = await plan({ repo: fleet({}) });
  const deleted = await plan({ repo: fleet({ 'placements/other.yaml': leaving(other) }), recorded: first.recorded });
  const { 'placements/other.yaml': _, ...without } = fleet({});
  const gone = await plan({ repo: without, recorded: first.recorded });
  const problems = deleted.plan.problems.map(({ severity, code, file, path }) => `${severity} ${code} ${file} ${path}`);
  expect(problems).toEqual(['warning being-deleted placements/other.yaml metadata.deletionTimestamp']);
  expect(deleted.plan.targets).toEqual(gone.plan.targets);
  expect(
    deleted.plan.targets.filter(({ remove }) => remove).map((it) => `${it.clusterName} ${it.placement.name}`),
  ).toEqual(['a other', 'b other']);
});

it('an eviction from a placement that is being deleted is refused', async () => {
  const eviction = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacementEviction
metadata: {name: e}
spec: {placementName: other, clusterName: a}
`;
  const { recorded } = await plan({ repo: fleet({}) });
  const step = await plan({
    repo: fleet({ 'placements/other.yaml': leaving(other), 'e.yaml': eviction }),
    recorded,
  });
  expect(step.plan.evictions.map(({ status }) => status?.conditions)).toMatchObject([
    [{ type: 'Valid', status: 'False', message: 'Found deleting ClusterResourcePlacement targeted by eviction' }],
  ]);
});

it('an override that is being deleted is not in effect', async () => {
  const labels = async (text: string) => {
    const { a } = await rendered({ repo: fleet({ 'overrides/o.yaml': text }) }, 'a');
    return a!.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.labels?.['site']);
  };
  expect(await labels(override)).toEqual(['here', 'here']);
  expect(await labels(leaving(override))).toEqual([undefined, undefined]);
});

/** With the `deleteStrategy` that its file says at last. */
const ending = (propagationPolicy: string): string =>
  `${leaving(other)}  strategy: {deleteStrategy: {propagationPolicy: ${propagationPolicy}}}\n`;
const names = ['a', 'b'];
const removed = ({ plan: { targets } }: Planned): string[] =>
  targets.filter(({ remove }) => remove).map(({ clusterName, placement: { name } }) => `${clusterName} ${name}`);
const files = (recorded: Planned['recorded']): string[] =>
  Object.keys(recorded).filter((path) => path.startsWith('placements/other/'));

describe.each([
  ['with observations', true],
  ['without any', false],
])('objects of a deleted placement are handled by the deleteStrategy of its file, %s', (_, isObserved) => {
  async function settled(text: string): Promise<Planned> {
    const repo = fleet({ 'placements/other.yaml': text });
    const first = await plan({ repo, observed: isObserved ? names.map((name) => seen(name)) : undefined });
    return plan({ repo, recorded: first.recorded, observed: look(first) });
  }
  const look = (step: Planned): string[] | undefined => (isObserved ? carriedOut(step, names) : undefined);

  it('it stays where the same commit sets Abandon, and is released at once', async () => {
    const before = await settled(other);
    const repo = fleet({ 'placements/other.yaml': ending('Abandon') });
    const step = await plan({ repo, recorded: before.recorded, observed: look(before) });
    expect([removed(step), files(step.recorded), step.plan.guard, step.code]).toEqual([[], [], [], 1]);
    expect(step.plan.placements.map(({ name }) => name)).toEqual(['web']);
    expect(step.plan.problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'being-deleted: ClusterResourcePlacement other: it is being deleted and counts as removed, and its objects stay on its clusters (deleteStrategy Abandon)',
    ]);
    const again = await plan({ repo, recorded: step.recorded, observed: look(before) });
    expect([again.recorded, removed(again), again.code]).toEqual([step.recorded, [], 0]);
  });

  it('it is removed where the same commit unsets Abandon, also when the file is gone next', async () => {
    const before = await settled(`${other}  strategy: {deleteStrategy: {propagationPolicy: Abandon}}\n`);
    const repo = fleet({ 'placements/other.yaml': ending('Delete') });
    const step = await plan({ repo, recorded: before.recorded, observed: look(before) });
    expect([removed(step), step.code]).toEqual([['a other', 'b other'], 1]);
    expect(step.plan.problems.map(({ message }) => message)).toEqual([
      'ClusterResourcePlacement other: it is being deleted and counts as removed, and its objects are removed from its clusters',
    ]);
    const { 'placements/other.yaml': __, ...without } = repo;
    const next = await plan({ repo: without, recorded: step.recorded, observed: look(before) });
    expect(removed(next)).toEqual(['a other', 'b other']);
  });
});

it.each([
  ['Abandon', []],
  ['Delete', ['a other', 'b other']],
])('a record written by hand, without a status, is deleted by the strategy in the file: %s', async (how, gone) => {
  const recorded = {
    'placements/other/state.yaml': `apiVersion: gitfleet.dev/v1alpha1
kind: PlacementState
metadata: {name: other}
bindings:
- {targetCluster: a, state: Bound, policySnapshotIndex: 0, resourceSnapshotIndex: 3}
- {targetCluster: b, state: Bound, policySnapshotIndex: 0, resourceSnapshotIndex: 3}
`,
  };
  expect(removed(await plan({ repo: fleet({ 'placements/other.yaml': ending(how) }), recorded }))).toEqual(gone);
});

it('while fleet.yaml cannot be read, a placement that relies on it is deleted as it was recorded', async () => {
  const defaults = `apiVersion: gitfleet.dev/v1alpha1
kind: FleetConfig
spec: {defaults: {strategy: {deleteStrategy: {propagationPolicy: Abandon}}}}
`;
  const { recorded } = await plan({ repo: fleet({ 'fleet.yaml': defaults }) });
  const broken = defaults.replace('Abandon', 'Leave');
  const repo = fleet({ 'fleet.yaml': broken, 'placements/other.yaml': leaving(other) });
  const step = await plan({ repo, recorded });
  expect([removed(step), files(step.recorded)]).toEqual([[], []]);
});

it('an unreadable file does not keep a placement whose own file deletes it', async () => {
  const { recorded } = await plan({ repo: fleet({}) });
  const repo = fleet({ 'placements/other.yaml': leaving(other), 'placements/torn.yaml': 'kind: [' });
  const step = await plan({ repo, recorded });
  expect([removed(step), step.plan.guard]).toEqual([['a other', 'b other'], []]);
});

it('a placement of which another file is not valid does not change', async () => {
  const { recorded } = await plan({ repo: fleet({}) });
  const twice = {
    'placements/other.yaml': leaving(other),
    'placements/again.yaml': `${other}  policy: {placementType: Pick}\n`,
  };
  const step = await plan({ repo: fleet(twice), recorded });
  expect([removed(step), step.plan.holds.map(({ reason, subject: { name } }) => `${reason} ${name}`)]).toEqual([
    [],
    ['LastGoodVersion other'],
  ]);
});
