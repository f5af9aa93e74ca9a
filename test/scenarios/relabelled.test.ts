import { describe, expect, it } from 'vitest';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';

const rolling = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 1}}';
const override = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourceOverride
metadata: {name: size, namespace: web}
spec:
  placement: {name: web}
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy:
    overrideRules:
      - clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {size: big}}}]}
        jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {size: big}}]
`;
const eviction = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacementEviction
metadata: {name: out}
spec: {placementName: web, clusterName: a}
`;

describe('a cluster that keeps what it got under its earlier labels until its turn comes', () => {
  // PaperFleet.plan itself asserts that planning again at once changes nothing.
  it.each<[string, (paper: PaperFleet) => void]>([
    [
      'the rollout removes it',
      (paper) => {
        paper.files['web.yaml'] = placed(2);
        paper.broken.clear();
      },
    ],
    ['it is evicted', (paper) => (paper.files['evict.yaml'] = eviction)],
    ['its placement is deleted', (paper) => delete paper.files['web.yaml']],
  ])('forgets those labels in the plan in which %s', async (_, leaves) => {
    const paper = new PaperFleet({
      ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`clusters/${name}.yaml`, member(name, { size: 'big' })])),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
      'override.yaml': override,
      'web.yaml': placed(3),
      'other.yaml': placement('other', '{placementType: PickAll}'),
    });
    await paper.settle();
    paper.broken.add('b/Deployment/web').add('c/Deployment/web');
    paper.refresh();
    paper.files['clusters/a.yaml'] = member('a', { size: 'small' });
    await paper.plan();
    expect(paper.record.get('placements/web/state.yaml')).toContain('clusterLabels');
    leaves(paper);
    paper.refresh();
    paper.pass(1);
    await paper.plan();
    expect(paper.record.get('placements/web/state.yaml')).not.toContain('clusterLabels');
  });
});

const placed = (clusters: number): string =>
  placement('web', `{placementType: PickN, numberOfClusters: ${clusters}}`, rolling);
