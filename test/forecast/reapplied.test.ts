import { expect, it } from 'vitest';
import { forecast } from '../../src/forecast/forecast.ts';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { forecastSummary } from '../../src/report/forecast/lines.ts';
import { member, PaperFleet } from '../support/paper-fleet.ts';
import { stagedRun } from '../support/staged-run.ts';
import { assumptions, effectOf } from './effect-of.ts';

const override = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourceOverride
metadata: {name: zone, namespace: web}
spec:
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: []}, jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {zone: "\${MEMBER-CLUSTER-LABEL-KEY-zone}"}}]}]}
`;
const cluster = (name: string, zone: string) => ({ [`clusters/${name}.yaml`]: member(name, { zone }) });

it('a forecast, and that of a preview, names clusters that get objects anew at once, by no rollout', async () => {
  const paper = new PaperFleet({ ...stagedRun(''), ...cluster('a', '1'), ...cluster('b', '1'), 'zone.yaml': override });
  await paper.settle();
  const next = { ...paper.files, ...cluster('a', '2') };
  const anew = 'Nothing is rolled out. At once, by no rollout: web is applied again on a.';
  const effect = await effectOf(paper, next);
  expect(effectText(effect)).toMatchObject({ title: 'changes 1 object · 1 of 2 clusters', forecast: anew });
  paper.files = next;
  expect(forecastSummary(forecast(await paper.input(), assumptions), assumptions)).toBe(anew);
  const other = await effectOf(paper, { ...next, ...cluster('b', '3') });
  expect(other.forecast.reapplied).toEqual([
    { placement: { kind: 'ClusterResourcePlacement', name: 'web' }, clusters: ['b'] },
  ]);
  const compared = await effectOf(paper, {
    ...paper.files,
    'web.yaml': paper.files['web.yaml']!.replace(
      '{type: External}',
      '{type: External, applyStrategy: {type: ReportDiff}}',
    ),
  });
  expect(compared.forecast.reapplied).toEqual([]);
});
