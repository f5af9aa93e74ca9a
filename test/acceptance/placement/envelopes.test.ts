import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Placement } from '../../../src/api/placement.ts';
import { conditionLines, member, placement, plan, rendered, seen } from '../../support/plan-command.ts';

const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}';
const box = (data: string): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourceEnvelope
metadata: {name: box, namespace: shop}
data:
${data}`;
const quota =
  '  quota.yaml: {apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: shop}, spec: {hard: {pods: "1"}}}';
const pod = '  pod.yaml: {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop}, spec: {containers: []}}';

const repo = (...resources: readonly string[]) => ({
  'clusters.yaml': [member('a', { labels: { region: 'eu' } })],
  'resources/all.yaml': [namespace, ...resources],
  'web.yaml': placement('placementType: PickAll'),
});
const objects = async (of: ReturnType<typeof repo>): Promise<string[]> => {
  const { plan: printed } = await plan({ repo: of });
  return printed.targets.flatMap(({ objects: all }) =>
    all.map(({ kind, name, namespace: ns }) => `${kind} ${ns ? `${ns}/` : ''}${name}`),
  );
};

describe('a ResourceEnvelope', () => {
  it('is selected with its namespace, not applied itself, and what it holds is', async () => {
    const of = repo(box(`${quota}\n${pod}`));
    expect(await objects(of)).toEqual(['Namespace shop', 'Pod shop/p', 'ResourceQuota shop/q']);
    const { plan: printed } = await plan({ repo: of });
    const { status } = parse(printed.record['placements/web/status.yaml']!) as Placement;
    expect(status!.selectedResources).toEqual([
      { version: 'v1', kind: 'Namespace', name: 'shop' },
      {
        group: 'placement.kubernetes-fleet.io',
        version: 'v1beta1',
        kind: 'ResourceEnvelope',
        name: 'box',
        namespace: 'shop',
      },
    ]);
  });

  it('is overridden in what it holds', async () => {
    const { a } = await rendered(
      {
        repo: {
          ...repo(box(quota)),
          'o.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourceOverride
metadata: {name: o, namespace: shop}
spec:
  resourceSelectors: [{group: "", version: v1, kind: ResourceQuota, name: q}]
  policy:
    overrideRules:
    - clusterSelector: {clusterSelectorTerms: []}
      jsonPatchOverrides: [{op: replace, path: /spec/hard/pods, value: "\${MEMBER-CLUSTER-LABEL-KEY-region}-7"}]
`,
        },
      },
      'a',
    );
    expect(a!.find(({ kind }) => kind === 'ResourceQuota')!['spec']).toEqual({ hard: { pods: 'eu-7' } });
  });

  it('loses what no manifest may ask a member for; what a hub would strip for itself stays', async () => {
    const copied = `  web: {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, uid: "1", resourceVersion: "2", generation: 3,
    creationTimestamp: "2026-01-01T00:00:00Z", managedFields: [{manager: x}], finalizers: [acme.io/x], labels: {app: web},
    ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: "9"}],
    annotations: {keep: "1", kubectl.kubernetes.io/last-applied-configuration: x, kubernetes-fleet.io/spec-hash: x}},
    spec: {clusterIP: 10.0.0.7, ports: [{port: 80, nodePort: 30080}]}, status: {loadBalancer: {}}}`;
    const { a } = await rendered({ repo: repo(box(copied)) }, 'a');
    const { metadata, ...rest } = a!.find(({ kind }) => kind === 'Service')!;
    const { 'gitfleet.dev/digest': _, ...annotations } = metadata.annotations!;
    expect({ ...rest, metadata: { ...metadata, annotations } }).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'web',
        namespace: 'shop',
        finalizers: ['acme.io/x'],
        labels: { app: 'web', 'gitfleet.dev/placement': 'web' },
        annotations: { keep: '1' },
      },
      spec: { clusterIP: '10.0.0.7', ports: [{ port: 80, nodePort: 30080 }] },
    });
  });

  it('failures inside name the envelope', async () => {
    const of = repo(box(quota));
    const first = await plan({ repo: of, observed: [seen('a')] });
    const next = await plan({
      repo: of,
      recorded: first.recorded,
      observed: [
        seen('a', {
          placements: [
            {
              placement: { kind: 'ClusterResourcePlacement', name: 'web' },
              resourceSnapshotIndex: 0,
              results: [
                {
                  object: { apiVersion: 'v1', kind: 'ResourceQuota', namespace: 'shop', name: 'q' },
                  result: 'FailedToApply',
                },
              ],
            },
          ],
          objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }],
        }),
      ],
    });
    const { status } = parse(next.recorded['placements/web/status.yaml']!) as Placement;
    expect(status!.placementStatuses![0]!.failedPlacements).toContainEqual(
      expect.objectContaining({
        kind: 'ResourceQuota',
        name: 'q',
        envelope: { name: 'box', namespace: 'shop', type: 'ResourceEnvelope' },
      }),
    );
  });

  it.each([
    [
      'itself',
      box(`${quota}\n${quota.replace('quota.yaml', 'again.yaml')}`),
      'twice in envelope shop/box; one of them is applied',
    ],
    [
      'another',
      `${box(quota)}\n---\n${box(quota).replace('name: box', 'name: case')}`,
      'in envelope shop/box and in envelope shop/case; the first is applied',
    ],
    [
      'the selected resources',
      `${box(quota)}\n---\n${quota.replace('  quota.yaml: ', '')}`,
      'in the selected resources and in envelope shop/box; the first is applied',
    ],
  ])('holds what is in %s too: one is applied, the other is Duplicated', async (_, resources, where) => {
    const of = repo(...resources.split('---\n'));
    const first = await plan({ repo: of, observed: [seen('a')] });
    const warnings = first.plan.problems.filter(({ severity }) => severity !== 'info');
    expect([first.code, warnings]).toEqual([
      1,
      [
        expect.objectContaining({
          severity: 'warning',
          file: 'web.yaml',
          message: `v1 ResourceQuota shop/q is ${where}`,
        }),
      ],
    ]);
    expect(first.plan.targets[0]!.objects.map(({ kind }) => kind)).toEqual(['Namespace', 'ResourceQuota']);
    const object = { apiVersion: 'v1', kind: 'ResourceQuota', namespace: 'shop', name: 'q' };
    // Whether the member tells it as well or not.
    for (const results of [[], [{ object, result: 'Duplicated' }]]) {
      const next = await plan({
        repo: of,
        recorded: first.recorded,
        observed: [
          seen('a', {
            placements: [
              { placement: { kind: 'ClusterResourcePlacement', name: 'web' }, resourceSnapshotIndex: 0, results },
            ],
            objects: [
              { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
              { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { namespace: 'shop', name: 'q' } },
            ],
          }),
        ],
      });
      const { status } = parse(next.recorded['placements/web/status.yaml']!) as Placement;
      const { conditions, failedPlacements } = status!.placementStatuses![0]!;
      expect(conditionLines(conditions)).toContain('Applied False NotAllWorkHaveBeenApplied');
      expect(failedPlacements).toEqual([
        expect.objectContaining({
          kind: 'ResourceQuota',
          name: 'q',
          envelope: expect.objectContaining({ type: 'ResourceEnvelope' }),
          condition: expect.objectContaining({ type: 'Applied', status: 'False', reason: 'Duplicated' }),
        }),
      ]);
    }
  });

  it.each([
    ['an object without a namespace', '  x: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}'],
    ['an object of another namespace', '  x: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: y1}}'],
    ['a cluster-scoped object', '  x: {apiVersion: v1, kind: Namespace, metadata: {name: x}}'],
    ['nothing', '  {}'],
  ])('is refused with %s', async (_, data) => {
    const { plan: printed, code } = await plan({ repo: repo(box(data)) });
    expect(printed.problems).toEqual([
      expect.objectContaining({ severity: 'error', file: 'resources/all.yaml', path: expect.stringMatching(/^data/) }),
    ]);
    expect(code).toBe(2);
  });
});

describe('a ClusterResourceEnvelope', () => {
  const crate = (data: string): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourceEnvelope
metadata: {name: crate}
data:
${data}`;
  const web = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacement
metadata: {name: web}
spec:
  resourceSelectors: [{group: placement.kubernetes-fleet.io, version: v1beta1, kind: ClusterResourceEnvelope, name: crate}]
`;

  it('holds cluster-scoped objects, which take effect on members only', async () => {
    const role = '  r: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}}';
    expect(await objects({ ...repo(crate(role)), 'web.yaml': web })).toEqual(['ClusterRole r']);
  });

  it('is refused with a namespaced object', async () => {
    const { plan: printed } = await plan({
      repo: {
        ...repo(crate('  x: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: shop}}')),
        'web.yaml': web,
      },
    });
    expect(printed.problems.map(({ severity, code, path }) => `${severity} ${code} ${path}`)).toEqual([
      'error invalid-envelope data.x',
    ]);
  });
});

describe('an annotated ConfigMap', () => {
  const wrapped = (data: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: box, namespace: shop, annotations: {kubernetes-fleet.io/envelope-configmap: "true"}}
data:
${data}`;

  it('is an envelope: each value one manifest, cluster-scoped ones too, and is not applied itself', async () => {
    const of = repo(
      wrapped(`  q.yaml: |
    apiVersion: v1
    kind: ResourceQuota
    metadata: {name: q, namespace: shop}
  r.json: '{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}}'`),
    );
    expect(await objects(of)).toEqual(['ClusterRole r', 'Namespace shop', 'ResourceQuota shop/q']);
    const { placement: web } = await plan({ repo: of, observed: [seen('a')] });
    expect(conditionLines(web().conditions)[2]).toBe('Overridden True NoOverrideSpecified');
  });

  it.each([
    [
      'two manifests in one value',
      '  x: |\n    {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: shop}}\n    ---\n    {apiVersion: v1, kind: ConfigMap, metadata: {name: z, namespace: shop}}',
    ],
    [
      'an object of another namespace',
      '  x: "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: other}}"',
    ],
    ['no manifest', '  x: "just text"'],
  ])('is refused with %s', async (_, data) => {
    const { plan: printed } = await plan({ repo: repo(wrapped(data)) });
    expect(printed.problems.map(({ severity, code, path }) => `${severity} ${code} ${path}`)).toEqual([
      'error invalid-envelope data.x',
    ]);
  });
});
