import { expect, it } from 'vitest';
import { planFleet } from '../../../src/engine/plan.ts';
import { overlappingPlacements } from '../../../src/repo/fleet/overlapping-placements.ts';
import { deployment, member, PaperFleet, placement } from '../../support/paper-fleet.ts';

const all = '{placementType: PickAll}';
const on = (...names: string[]) => `{placementType: PickFixed, clusterNames: [${names.join(', ')}]}`;
const compares = '{type: RollingUpdate, applyStrategy: {type: ReportDiff}}';

/** The warnings of a fleet of two clusters with namespaces `web` and `pay` and these placements. */
async function told(placements: Readonly<Record<string, string>>): Promise<string[]> {
  const paper = new PaperFleet({
    'clusters/a.yaml': member('a'),
    'clusters/b.yaml': member('b'),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'resources/pay.yaml': deployment('pay', 'pay', 'pay:1'),
    ...placements,
  });
  const input = await paper.input();
  const { plan } = planFleet(input);
  expect(plan.guard).toEqual([]);
  return overlappingPlacements(plan, input.fleet).map(({ file, path, message }) => `${file} ${path} ${message}`);
}

it.each<[string, Readonly<Record<string, string>>]>([
  ['of different objects', { '1.yaml': placement('web', all), '2.yaml': placement('pay', all) }],
  [
    'on different clusters',
    { '1.yaml': placement('web', on('a')), '2.yaml': placement('two', on('b'), undefined, 'web') },
  ],
  ['one of which only compares', { '1.yaml': placement('web', all), '2.yaml': placement('two', all, compares, 'web') }],
])('there is no warning about placements %s', async (_, placements) => {
  expect(await told(placements)).toEqual([]);
});

it('objects that two placements apply to one cluster are reported at the second by name, with the clusters', async () => {
  expect(
    await told({ '1.yaml': placement('web', all), '2.yaml': placement('two', on('b'), undefined, 'web') }),
  ).toEqual([
    '1.yaml spec.resourceSelectors ClusterResourcePlacement web: ClusterResourcePlacement two also applies Namespace web, Deployment web/web to b: a cluster rejects the second placement',
  ]);
});

it('objects that one of them has already are reported at the other, whatever their names', async () => {
  const paper = new PaperFleet({
    'clusters/a.yaml': member('a'),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'web.yaml': placement('web', all),
  });
  await paper.settle();
  paper.files['two.yaml'] = placement('two', all, undefined, 'web');
  const input = await paper.input();
  expect(overlappingPlacements(planFleet(input).plan, input.fleet)).toMatchObject([
    { file: 'two.yaml', message: expect.stringContaining('ClusterResourcePlacement web also applies') },
  ]);
});

it('the content of an envelope counts, the envelope itself does not', async () => {
  const wrapped = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourceEnvelope
metadata: {name: wrapped, namespace: pay}
data:
  web.yaml: {apiVersion: apps/v1, kind: Deployment, metadata: {name: pay, namespace: pay}}
`;
  const only = placement('only', all, undefined, 'pay');
  const inner = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourcePlacement
metadata: {name: inner, namespace: pay}
spec:
  resourceSelectors: [{group: placement.kubernetes-fleet.io, version: v1beta1, kind: ResourceEnvelope, name: wrapped}]
  policy: ${all}
`;
  const [reported, ...more] = await told({ 'resources/e.yaml': wrapped, '1.yaml': only, '2.yaml': inner });
  expect(more).toEqual([]);
  expect(reported).toContain('Deployment pay/pay');
  expect(reported).not.toContain('Envelope');
});
