import { describe, expect, it } from 'vitest';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { deployment, member, PaperFleet, placement, treeOf } from '../../support/paper-fleet.ts';

const load = async (path: string, text: string) => {
  const { resources, problems } = await loadFleet(treeOf({ 'clusters/a.yaml': member('a'), [path]: text }));
  return {
    placeable: resources.map(({ manifest: { kind } }) => kind),
    reported: problems.map(
      ({ severity, code, line, column, message, fix }) => `${line}:${column} ${severity} ${code} ${message}; ${fix}`,
    ),
  };
};
const object = (apiVersion: string, kind: string) =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: web, namespace: shop}\n`;

describe('a kind of resources/ that is nearly like one of Kubernetes', () => {
  it.each([
    ['v1', 'Servce', 'Servce shop/web: there is no kind Servce in the core group; did you mean Service?'],
    ['apps/v1', 'Deploymet', 'Deploymet shop/web: there is no kind Deploymet in apps; did you mean Deployment?'],
  ])('is an error: %s %s', async (apiVersion, kind, reported) => {
    expect(await load('resources/web.yaml', object(apiVersion, kind))).toEqual({
      placeable: [],
      reported: [`2:1 error unknown-kind ${reported}`],
    });
  });

  it.each([
    ['kind: Deployment', 'kind: Deploymnt'],
    ['apps/v1', 'app/v1'],
    ['apps/v1', 'v1'],
    ['apps/v1', 'extensions/v1beta1'],
    ['apps/v1', 'apps/v1beta1'],
  ])('does not remove the object that is meant: %s → %s', async (right, wrong) => {
    const files = {
      'clusters/a.yaml': member('a'),
      'web.yaml': placement('web', '{placementType: PickAll}'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
    };
    const paper = new PaperFleet(files);
    await paper.settle();
    paper.files['resources/web.yaml'] = files['resources/web.yaml'].replace(right, wrong);
    for (let turn = 0; turn < 3; turn++) {
      const plan = await paper.planOn();
      expect(plan.holds.map(({ reason }) => reason)).toContain('LastGoodVersion');
      paper.deliver();
      paper.pass(60);
    }
    expect(
      paper.members
        .get('a')
        ?.get('web')
        ?.objects.map(({ kind }) => kind)
        .sort(),
    ).toEqual(['Deployment', 'Namespace']);
  });

  it.each([
    ['v1', 'Deployment', 'the core group', 'apps/v1'],
    ['extensions/v1beta1', 'Ingress', 'extensions', 'networking.k8s.io/v1'],
    ['extensions/v1beta1', 'Deployment', 'extensions', 'apps/v1'],
    ['apps/v1', 'ConfigMap', 'apps', 'v1'],
  ])('is reported if another group has it: %s %s', async (apiVersion, kind, group, meant) => {
    expect(await load('resources/web.yaml', object(apiVersion, kind))).toEqual({
      placeable: [],
      reported: [
        `1:1 error unknown-kind ${kind} shop/web: there is no kind ${kind} in ${group}; did you mean ${meant}?`,
      ],
    });
  });

  it.each([
    ['apps/v2', 'Deployment', 'apps/v1'],
    ['batch/v1beta1', 'CronJob', 'batch/v1'],
    ['policy/v1beta1', 'PodDisruptionBudget', 'policy/v1'],
    ['autoscaling/v2beta2', 'HorizontalPodAutoscaler', 'autoscaling/v2'],
    ['events.k8s.io/v1beta1', 'Event', 'events.k8s.io/v1'],
  ])('has a warning in a version that current API servers do not have: %s %s', async (apiVersion, kind, meant) => {
    expect(await load('resources/web.yaml', object(apiVersion, kind))).toEqual({
      placeable: [kind],
      reported: [
        `1:1 warning unserved-version ${kind} shop/web: current versions of Kubernetes do not serve ${kind} in ${apiVersion}; write ${meant}`,
      ],
    });
  });

  it.each([
    ['apps/v1beta1', 'Deployment', 'apps/v1'],
    ['apps/V1', 'Deployment', 'apps/v1'],
    ['networking.k8s.io/v1beta1', 'Ingress', 'networking.k8s.io/v1'],
  ])('is an error in a version that no member can have: %s %s', async (apiVersion, kind, meant) => {
    expect(await load('resources/web.yaml', object(apiVersion, kind))).toEqual({
      placeable: [],
      reported: [
        `1:1 error unserved-version ${kind} shop/web: current versions of Kubernetes do not serve ${kind} in ${apiVersion}; write ${meant}`,
      ],
    });
  });

  it.each([
    ['app/v1', 'Deployment', 'apps/v1'],
    ['core/v1', 'ConfigMap', 'v1'],
    ['events/v1', 'Event', 'events.k8s.io/v1'],
    ['networking/v1', 'NetworkPolicy', 'networking.k8s.io/v1'],
    ['networking.k8s.oi/v1', 'NetworkPolicy', 'networking.k8s.io/v1'],
    ['policy.k8s.io/v1', 'PodDisruptionBudget', 'policy/v1'],
    ['autoscalling/v2', 'HorizontalPodAutoscaler', 'autoscaling/v2'],
  ])('is an error in a group that is nearly the right one: %s %s', async (apiVersion, kind, meant) => {
    const group = apiVersion.split('/')[0];
    expect(await load('resources/web.yaml', object(apiVersion, kind))).toEqual({
      placeable: [],
      reported: [
        `1:1 error unknown-kind ${kind} shop/web: there is no kind ${kind} in ${group}; did you mean ${meant}?`,
      ],
    });
  });

  it.each([
    [
      'karpenter.sh/v1',
      'Nodepool',
      '2:1 error',
      'Nodepool shop/web: there is no kind Nodepool in karpenter.sh; did you mean NodePool?',
    ],
    [
      'karpenter.k8s.io/v1',
      'NodePool',
      '1:1 error',
      'NodePool shop/web: there is no kind NodePool in karpenter.k8s.io; did you mean karpenter.sh/v1?',
    ],
    [
      'karpenter.sh/v1',
      'AKSNodeClass',
      '1:1 error',
      'AKSNodeClass shop/web: there is no kind AKSNodeClass in karpenter.sh; did you mean karpenter.azure.com/v1beta1?',
    ],
    ['karpenter.k8s.aws/v1', 'EC2NodeClass', undefined, ''],
    ['karpenter.sh/v1alpha1', 'NodeOverlay', undefined, ''],
    ['apps.openyurt.io/v1beta1', 'NodePool', undefined, ''],
  ])('of Karpenter: %s %s', async (apiVersion, kind, place, reported) => {
    expect(await load('resources/web.yaml', object(apiVersion, kind))).toEqual({
      placeable: place === undefined ? [kind] : [],
      reported: place === undefined ? [] : [`${place} unknown-kind ${reported}`],
    });
  });

  it.each([
    ['an older version of today', 'autoscaling/v1', 'HorizontalPodAutoscaler'],
    ['a kind without a stable version', 'coordination.k8s.io/v1', 'LeaseCandidate'],
    ['a kind of another group', 'serving.knative.dev/v1', 'Service'],
    ['a kind of an extension', 'policy.example.com/v1', 'PodDisruptionBudget'],
    ['a kind that Kubernetes may have gained since', 'apps/v1', 'Blueprint'],
    ['a group of others', 'example.com/v1', 'Deploymet'],
  ])('is not: %s', async (_, apiVersion, kind) => {
    expect(await load('resources/web.yaml', object(apiVersion, kind))).toEqual({ placeable: [kind], reported: [] });
  });
});

describe('a version that the CRD in the repo does not serve', () => {
  const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: boxes, kind: Box}
  versions:
    - {name: v1, served: true, storage: true, schema: &any {openAPIV3Schema: {type: object}}}
    - {name: v1beta1, served: true, storage: false, schema: *any}
    - {name: v1alpha1, served: false, storage: false, schema: *any}
---
`;

  it.each(['v2', 'v1alpha1'])('has a warning: %s', async (version) => {
    const { placeable, reported } = await load(
      'resources/box.yaml',
      `${crd}${object(`example.com/${version}`, 'Box')}`,
    );
    expect(placeable).toEqual(['CustomResourceDefinition', 'Box']);
    expect(reported).toEqual([
      `13:1 warning unserved-version Box shop/web: the CRD in this repo does not serve Box in example.com/${version}; write example.com/v1 or example.com/v1beta1`,
    ]);
  });

  it('has a warning in an envelope, at its key', async () => {
    const envelope =
      'apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ResourceEnvelope\nmetadata: {name: e, namespace: shop}\n';
    const inside =
      'data:\n  box.yaml: {apiVersion: example.com/v2, kind: Box, metadata: {name: web, namespace: shop}}\n';
    expect((await load('resources/box.yaml', `${crd}${envelope}${inside}`)).reported).toEqual([
      '17:3 warning unserved-version ResourceEnvelope shop/e: the CRD in this repo does not serve Box in example.com/v2; write example.com/v1 or example.com/v1beta1',
    ]);
  });

  it.each(['v1', 'v1beta1'])('has none in one that it serves: %s', async (version) => {
    expect((await load('resources/box.yaml', `${crd}${object(`example.com/${version}`, 'Box')}`)).reported).toEqual([]);
  });
});

describe('an object whose apiVersion or kind is not a string', () => {
  it.each([
    ['apiVersion: 1\nkind: ConfigMap\n', '1:1', 'apiVersion must be a string; write for example v1'],
    ['apiVersion: v1\nkind: 5\n', '2:1', 'kind must be a string; write for example ConfigMap'],
    ['apiVersion: v1\nkind:\n', '2:1', 'kind must be a string; write for example ConfigMap'],
  ])('has its position: %s', async (text, at, reported) => {
    expect((await load('resources/b.yaml', text)).reported).toEqual([
      `${at} error wrong-type this is not a Kubernetes object: ${reported}`,
    ]);
  });
});

describe('an object whose apiVersion or kind is a misspelt field', () => {
  it.each([
    ['clusters/b.yaml', 'apiVersion: cluster.kubernetes-fleet.io/v1\nkidn: MemberCluster\n', 'kind', 'kidn', '2:1'],
    [
      'clusters/b.yaml',
      'apiVersoin: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\n',
      'apiVersion',
      'apiVersoin',
      '1:1',
    ],
    ['resources/b.yaml', 'apiVersion: v1\nKind: ConfigMap\n', 'kind', 'Kind', '2:1'],
  ])('in %s is shown the field: %s', async (path, text, right, wrong, at) => {
    const { reported } = await load(path, text);
    expect(reported).toEqual([
      `${at} error not-an-object this is not a Kubernetes object: ${right} is missing; write ${right} instead of ${wrong}`,
    ]);
  });
});
