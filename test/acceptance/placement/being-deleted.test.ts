import { expect, it } from 'vitest';
import { member, placement, plan, rendered, shop } from './world.ts';

const other = placement('').replace('name: web', 'name: other');
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
/** As `kubectl get -o yaml` prints an object whose finalizers keep it in sight. */
const leaving = (text: string): string =>
  text
    .replace(/metadata:\s+name: (\w+)/, 'metadata: {name: $1}')
    .replace(/metadata: \{/, 'metadata: {finalizers: [x], deletionTimestamp: "2026-11-20T09:00:00Z", ');

it('a placement that is being deleted is removed from its clusters, as if its file were gone, and its file is told', async () => {
  const first = await plan({ repo: fleet({}) });
  const deleted = await plan({ repo: fleet({ 'placements/other.yaml': leaving(other) }), recorded: first.recorded });
  const { 'placements/other.yaml': _, ...without } = fleet({});
  const gone = await plan({ repo: without, recorded: first.recorded });
  const told = deleted.plan.problems.map(({ severity, code, file, path }) => `${severity} ${code} ${file} ${path}`);
  expect(told).toEqual(['warning being-deleted placements/other.yaml metadata.deletionTimestamp']);
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

it('an override that is being deleted is not in force', async () => {
  const labels = async (text: string) => {
    const { a } = await rendered({ repo: fleet({ 'overrides/o.yaml': text }) }, 'a');
    return a!.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.labels?.['site']);
  };
  expect(await labels(override)).toEqual(['here', 'here']);
  expect(await labels(leaving(override))).toEqual([undefined, undefined]);
});
