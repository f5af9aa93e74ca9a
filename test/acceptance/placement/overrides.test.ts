import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  carriedOut,
  conditionLines,
  indent,
  member,
  type Planned,
  placement,
  plan,
  rendered,
  seen,
  shop,
} from './world.ts';

const till = `apiVersion: apps/v1
kind: Deployment
metadata: {name: till, namespace: shop, labels: {app: till}}
spec: {replicas: 1, template: {spec: {containers: [{name: c, image: till:1}]}}}
`;
const cro = (name: string, rules: string, more = ''): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourceOverride
metadata: {name: ${name}}
spec:
${more}  clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: shop}]
  policy:
    overrideRules:
${indent(rules, 6)}
`;
const ro = (
  name: string,
  rules: string,
  more = '',
  selector = '{group: "", version: v1, kind: ConfigMap, name: prices}',
): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourceOverride
metadata: {name: ${name}, namespace: shop}
spec:
${more}  resourceSelectors: [${selector}]
  policy:
    overrideRules:
${indent(rules, 6)}
`;
const all = 'clusterSelector: {clusterSelectorTerms: []}';
const patch = (selector: string, ...patches: readonly string[]): string =>
  `- ${selector}\n  jsonPatchOverrides:\n${patches.map((one) => `  - ${one}`).join('\n')}`;

const clusters = [
  member('eu', { labels: { region: 'eu', size: '3' } }),
  member('us', { labels: { region: 'us', chain: '${MEMBER-CLUSTER-LABEL-KEY-region}' } }),
];
const repo = (...overrides: readonly string[]) => ({
  'clusters.yaml': clusters,
  'resources/shop.yaml': [shop, till],
  'overrides.yaml': overrides,
  'web.yaml': placement('placementType: PickAll'),
});

const overridden = ({ placement: of }: Planned, cluster: string): string[] =>
  conditionLines(of().bindings.find(({ clusterName }) => clusterName === cluster)!.conditions).filter((line) =>
    line.startsWith('Overridden'),
  );
const carried = ({ recorded }: Planned, cluster: string) => {
  const { bindings } = parse(recorded['placements/web/state.yaml']!) as {
    bindings: {
      targetCluster: string;
      clusterResourceOverrideSnapshots?: string[];
      resourceOverrideSnapshots?: { name: string; namespace: string }[];
    }[];
  };
  const { clusterResourceOverrideSnapshots: cluster_ = [], resourceOverrideSnapshots: namespaced = [] } = bindings.find(
    ({ targetCluster }) => targetCluster === cluster,
  )!;
  return [...cluster_, ...namespaced.map(({ name, namespace }) => `${namespace}/${name}`)].join(' ');
};
const both = [seen('eu'), seen('us')];

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
  expect(printed.problems).toEqual([
    expect.objectContaining({
      severity: 'error',
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
        'clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {region: us}}}]}',
        '{op: add, path: /data, value: {"${MEMBER-CLUSTER-NAME}": "in ${MEMBER-CLUSTER-LABEL-KEY-chain} as ${MEMBER-CLUSTER-NAME}"}}',
      ),
    ),
    ro(
      'd',
      patch(
        'clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {region: eu}}}]}',
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
    const onlyUs = 'clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {region: us}}}]}';
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

describe('which overrides a placement uses', () => {
  const change = '{op: add, path: /data/x, value: x}';
  it.each([
    ['without a placement: every one', '', 'shop/o-0'],
    ['its own', '  placement: {name: web}\n', 'shop/o-0'],
    ['another placement’s: no', '  placement: {name: other}\n', ''],
    ['one of a ResourcePlacement of that name: no', '  placement: {name: web, scope: Namespaced}\n', ''],
  ])('%s', async (_, ref, expected) => {
    const planned = await plan({ repo: repo(ro('o', patch(all, change), ref)), observed: both });
    expect(carried(planned, 'eu')).toBe(expected);
    expect(overridden(planned, 'eu')).toEqual([
      `Overridden True ${expected ? 'OverriddenSucceeded' : 'NoOverrideSpecified'}`,
    ]);
  });

  it('only those that select something of it, cluster ones by name, then namespaced ones by namespace and name', async () => {
    const planned = await plan({
      repo: repo(
        ro('zz', patch(all, change)),
        ro(
          'b',
          patch(all, '{op: replace, path: /spec/replicas, value: 2}'),
          '',
          '{group: apps, version: v1, kind: Deployment, name: till}',
        ),
        ro('not', patch(all, change), '', '{group: "", version: v1, kind: ConfigMap, name: elsewhere}'),
        cro('c', patch(all, '{op: add, path: /metadata/annotations, value: {}}')),
      ),
      observed: both,
    });
    expect(carried(planned, 'us')).toBe('c-0 shop/b-0 shop/zz-0');
  });

  it('a ResourcePlacement takes those of its namespace that name it', async () => {
    const planned = await plan({
      repo: {
        ...repo(ro('o', patch(all, change), '  placement: {name: web, scope: Namespaced}\n')),
        'web.yaml': `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: prices}]
`,
      },
      observed: both,
    });
    expect(conditionLines(planned.placement().bindings[0]!.conditions)).toContain(
      'Overridden True OverriddenSucceeded',
    );
  });
});

describe('a change of an override', () => {
  const override = (value: string, ref = ''): string =>
    ro('o', patch(all, `{op: add, path: /data/x, value: "${value}"}`), ref);
  /** Only what is available as soon as it is there. */
  const repo = (...overrides: readonly string[]) => ({
    'clusters.yaml': clusters,
    'resources/shop.yaml': shop,
    'overrides.yaml': overrides,
    'web.yaml': placement('placementType: PickAll'),
  });
  const thenPlan = (first: Planned, of: Readonly<Record<string, string | readonly string[]>>, members = clusters) =>
    plan({
      repo: { ...of, 'clusters.yaml': members },
      recorded: first.recorded,
      observed: carriedOut(first, ['eu', 'us']),
    });
  const moves = ({ placement: of }: Planned): string =>
    of()
      .bindings.map(({ clusterName, move }) => `${clusterName} ${move}`)
      .join(', ');

  it('that names the placement begins a rollout, with a new snapshot of it', async () => {
    const ref = '  placement: {name: web}\n';
    const first = await plan({ repo: repo(override('1', ref)), observed: both });
    const next = await thenPlan(first, repo(override('2', ref)));
    // maxUnavailable 25 % of two clusters is one
    expect(moves(next)).toBe('eu update, us wait');
    expect(carried(next, 'eu')).toBe('shop/o-1');
    expect(Object.keys(next.recorded).filter((path) => path.startsWith('overrides/'))).toEqual(
      expect.arrayContaining(['overrides/shop.o/0.yaml', 'overrides/shop.o/1.yaml']),
    );
    expect(next.placement().resourceSnapshotIndex).toBe(0);
  });

  it('that names none waits for the next rollout and rides along', async () => {
    const first = await plan({ repo: repo(override('1')), observed: both });
    const next = await thenPlan(first, repo(override('2')));
    expect(moves(next)).toBe('eu keep, us keep');
    expect(carried(next, 'eu')).toBe('shop/o-0');
    const rolled = await thenPlan(next, {
      ...repo(override('2')),
      'resources/shop.yaml': shop.replace('"1"', '"9"'),
    });
    expect(moves(rolled)).toBe('eu update, us wait');
    expect(carried(rolled, 'eu')).toBe('shop/o-1');
  });

  it('that takes it away begins a rollout', async () => {
    const first = await plan({ repo: repo(override('1')), observed: both });
    const next = await thenPlan(first, repo());
    expect(moves(next)).toBe('eu update, us wait');
    expect(carried(next, 'eu')).toBe('');
  });

  it("of a cluster's labels is looked at again", async () => {
    const onlyEu = ro(
      'o',
      patch(
        'clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {region: eu}}}]}',
        '{op: add, path: /data/x, value: x}',
      ),
    );
    const first = await plan({ repo: repo(onlyEu), observed: both });
    expect([carried(first, 'eu'), carried(first, 'us')]).toEqual(['shop/o-0', '']);
    const next = await thenPlan(first, repo(onlyEu), [
      member('eu', { labels: { region: 'us' } }),
      member('us', { labels: { region: 'us' } }),
    ]);
    expect(moves(next)).toBe('eu update, us keep');
    expect(carried(next, 'eu')).toBe('');
  });

  it('is held back where another override came to select the same resource: the one in force keeps it', async () => {
    const z = (value: string) => ro('z', patch(all, `{op: replace, path: /data/apple, value: "${value}"}`));
    const a = ro('a', patch(all, '{op: replace, path: /data/apple, value: "a"}'));
    const first = await plan({ repo: repo(z('1')), observed: both });
    const next = await thenPlan(first, repo(a, z('2')));
    expect(next.plan.problems.map(({ code, message }) => `${code} ${message.replace(/ \(also.*/, '')}`).sort()).toEqual(
      [
        'override-collision ResourceOverride a: ConfigMap prices is already selected by override z, which stays as last recorded',
        'override-collision ResourceOverride z: ConfigMap prices is already selected by override a',
      ],
    );
    expect(Object.keys(next.recorded).filter((path) => path.startsWith('overrides/'))).toEqual([
      'overrides/shop.z/0.yaml',
    ]);
    expect(carried(next, 'eu')).toBe('shop/z-0');
    const mended = await thenPlan(next, repo(z('2')));
    expect(mended.plan.problems).toEqual([]);
    expect(mended.recorded['overrides/shop.z/1.yaml']).toContain('value: "2"');
  });

  it('is one too many only where it is new: a hundred that are there keep their place, whatever the names of files', async () => {
    const many = (from: number, count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
          `overrides/${at}.yaml`,
          ro(`o-${from + at}`, patch(all, '{op: add, path: /data/x, value: x}')).replaceAll(
            'prices',
            `prices-${from + at}`,
          ),
        ]),
      );
    const inForce = (step: Awaited<ReturnType<typeof plan>>) =>
      Object.keys(step.recorded).filter((path) => path.startsWith('overrides/'));
    const base = repo();
    const full = await plan({ repo: { ...base, ...many(101, 100) }, observed: both });
    expect([full.code, inForce(full).length]).toEqual([1, 100]);
    const next = await thenPlan(full, { ...base, ...many(101, 100), 'a.yaml': many(100, 1)['overrides/0.yaml']! });
    expect(next.plan.problems.map(({ code, severity, message }) => [severity, code, message])).toEqual([
      ['error', 'too-many-overrides', expect.stringContaining('there are 101 ResourceOverrides in namespace shop')],
    ]);
    expect(inForce(next)).toEqual(inForce(full));
    const fresh = await plan({ repo: { ...base, ...many(101, 102) }, observed: both });
    expect(inForce(fresh)).toEqual(inForce(full));
  });

  it('to another placement is refused: it stays with the one it had', async () => {
    const first = await plan({ repo: repo(override('1', '  placement: {name: web}\n')), observed: both });
    const next = await thenPlan(first, repo(override('2', '  placement: {name: other}\n')));
    expect(next.plan.problems).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'immutable-field',
        file: 'overrides.yaml',
        path: 'spec.placement',
        fix: expect.stringContaining('new name'),
      }),
    ]);
    expect(next.code).toBe(2);
    expect(next.plan.holds).toEqual([
      expect.objectContaining({
        subject: { kind: 'ResourceOverride', name: 'o', namespace: 'shop' },
        reason: 'LastGoodVersion',
      }),
    ]);
    expect(moves(next)).toBe('eu keep, us keep');
    expect(carried(next, 'eu')).toBe('shop/o-0');
  });
});
