import { describe, expect, it } from 'vitest';
import { conditionLines, plan, rendered } from '../../../support/plan-command.ts';
import { all, both, carried, cro, inRegion, overridden, patch, repo, ro } from './setting.ts';

describe('a rule is for', () => {
  it.each([
    ['no cluster without a clusterSelector', 'overrideType: JSONPatch', '', ''],
    ['all clusters with an empty list of terms', all, 'x', 'x'],
    [
      'the clusters of any term',
      'clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {region: eu}}}, {labelSelector: {matchLabels: {region: asia}}}]}',
      'x',
      '',
    ],
    [
      'a cluster by its name, which is a label',
      'clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {kubernetes-fleet.io/member-name: us}}}]}',
      '',
      'x',
    ],
  ])('%s', async (_, selector, eu, us) => {
    const of = repo(ro('o', patch(selector, '{op: add, path: /data/new, value: x}')));
    const made = await rendered({ repo: of }, 'eu', 'us');
    expect(made.eu!.find(({ kind }) => kind === 'ConfigMap')!['data']).toEqual({ apple: '1', ...(eu && { new: eu }) });
    expect(made.us!.find(({ kind }) => kind === 'ConfigMap')!['data']).toEqual({ apple: '1', ...(us && { new: us }) });
  });
});

it('patches add, replace and remove, one after the other; rules in order, the last one wins', async () => {
  const of = repo(
    ro(
      'o',
      `${patch(all, '{op: add, path: /data/pear, value: "2"}', '{op: replace, path: /data/pear, value: "3"}', '{op: remove, path: /data/apple}')}
${patch(all, '{op: replace, path: /data/pear, value: "4"}', '{op: add, path: /metadata/labels, value: {a~b/c: d}}', '{op: replace, path: "/metadata/labels/a~0b~1c", value: e}')}`,
    ),
  );
  const { eu } = await rendered({ repo: of }, 'eu');
  expect(eu!.find(({ kind }) => kind === 'ConfigMap')).toMatchObject({
    data: { pear: '4' },
    metadata: { labels: { 'a~b/c': 'e' } },
  });
});

it('a cluster override of a Namespace hits it and every object in it; namespaced overrides come after and win', async () => {
  const of = repo(
    ro('r', patch(all, '{op: replace, path: /metadata/annotations/by, value: ro}')),
    cro('a', patch(all, '{op: add, path: /metadata/annotations, value: {by: a}}')).replace(
      'name: shop}]',
      'name: shop}, {group: "", version: v1, kind: Namespace, name: other}]',
    ),
    cro('b', patch(all, '{op: replace, path: /metadata/annotations/by, value: b}')),
  );
  // two overrides of one kind may not select the same resource, so b is refused and a stays
  const { plan: printed } = await plan({ repo: of });
  expect(printed.problems.filter(({ severity }) => severity === 'error')).toEqual([
    expect.objectContaining({
      code: 'override-collision',
      file: 'overrides.yaml',
      path: 'spec.clusterResourceSelectors.0',
      message: expect.stringMatching(/Override b.*override a/),
    }),
  ]);
  const { eu } = await rendered({ repo: of }, 'eu');
  expect(
    eu!.map(({ kind, metadata }) => `${kind} ${(metadata.annotations as Record<string, string>)['by']}`).sort(),
  ).toEqual(['ConfigMap ro', 'Deployment a', 'Namespace a']);
});

it('variables are filled into the text of the value, in keys and inside words, again until none is left', async () => {
  const of = repo(
    ro(
      'o',
      patch(
        inRegion('us'),
        '{op: add, path: /data, value: {"${MEMBER-CLUSTER-NAME}": "in ${MEMBER-CLUSTER-LABEL-KEY-chain} as ${MEMBER-CLUSTER-NAME}"}}',
      ),
    ),
    ro(
      'd',
      patch(
        inRegion('eu'),
        '{op: replace, path: /spec/template/spec/containers/0/image, value: "${MEMBER-CLUSTER-LABEL-KEY-region}.reg/till:1"}',
      ),
      '',
      '{group: apps, version: v1, kind: Deployment, name: till}',
    ),
  );
  const made = await rendered({ repo: of }, 'eu', 'us');
  expect(made.us!.find(({ kind }) => kind === 'ConfigMap')!['data']).toEqual({ us: 'in us as us' });
  expect(made.eu!.find(({ kind }) => kind === 'Deployment')!['spec']).toMatchObject({
    template: { spec: { containers: [{ image: 'eu.reg/till:1' }] } },
  });
});

it('Delete drops the object and ends the rules of that override', async () => {
  const of = repo(
    ro('o', `- ${all}\n  overrideType: Delete\n${patch(all, '{op: replace, path: /data/nowhere/deep, value: x}')}`),
  );
  const planned = await plan({ repo: of, observed: both });
  expect(planned.plan.targets[0]!.objects.map(({ kind }) => kind)).toEqual(['Deployment', 'Namespace']);
  expect(overridden(planned, 'eu')).toEqual(['Overridden True OverriddenSucceeded']);
  expect(carried(planned, 'eu')).toBe('shop/o-0');
});

describe('a patch that fails is Overridden=False on its cluster alone, and names snapshot and object', () => {
  it.each([
    ['a path that is not there', '{op: replace, path: /data/pear, value: x}', /pear/],
    ['a parent that is not there', '{op: add, path: /spec/deep/er, value: x}', /spec/],
    [
      'a label that the cluster does not have',
      '{op: add, path: /data/x, value: "${MEMBER-CLUSTER-LABEL-KEY-size}"}',
      /size/,
    ],
    ['a variable without an end', '{op: add, path: /data/x, value: "${MEMBER-CLUSTER-LABEL-KEY-region"}', /closing/],
    [
      'a value that is no JSON any more',
      '{op: add, path: /data/x, value: "${MEMBER-CLUSTER-LABEL-KEY-quote}"}',
      /JSON|quote/,
    ],
  ])('%s', async (_, operation, message) => {
    const onlyUs = inRegion('us');
    const planned = await plan({ repo: repo(ro('o', patch(onlyUs, operation))), observed: both });
    expect(overridden(planned, 'eu')).toEqual(['Overridden True NoOverrideSpecified']);
    const { conditions } = planned.placement().bindings.find(({ clusterName }) => clusterName === 'us')!;
    expect(conditionLines(conditions)).toEqual([
      'RolloutStarted True RolloutStarted',
      'Overridden False OverriddenFailed',
    ]);
    expect(conditions[1]!.message).toMatch(message);
    expect(conditions[1]!.message).toContain('shop/o-0');
    expect(conditions[1]!.message).toContain('ConfigMap shop/prices');
    expect(conditionLines(planned.placement().conditions)).toEqual([
      'Scheduled True SchedulingPolicyFulfilled',
      'RolloutStarted True RolloutStarted',
      'Overridden False OverriddenFailed',
    ]);
  });
});
