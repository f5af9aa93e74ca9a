import { afterEach, expect, it } from 'vitest';
import { openDirectory } from '../../../src/repo/directory-tree.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { folder, removeFolders } from '../../support/folders.ts';

afterEach(removeFolders);

/** `line:column code path` of every problem of a file. */
async function found(text: string): Promise<string[]> {
  const dir = folder({ 'resources/all.yaml': text });
  const { problems } = await loadFleet(await openDirectory(dir), undefined, { incomplete: true });
  return problems.map(({ line, column, code, path }) => `${line}:${column} ${code} ${path ?? ''}`.trim());
}

const pod = '{metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}';
const head = (kind: string, metadata: string) =>
  `apiVersion: ${kind.replace(' ', '\nkind: ')}\nmetadata: {${metadata}}\n`;
const toAll = (...patches: string[]) => rule('[]', ...patches);
const rule = (terms: string, ...patches: string[]) =>
  `{clusterSelector: {clusterSelectorTerms: ${terms}}, jsonPatchOverrides: [${patches.map((patch) => `{op: add, path: ${patch}}`).join()}]}`;

it.each<[string, string, string[]]>([
  [
    'a wrong type, an unknown and a missing field, and two wrong containers',
    `${head('apps/v1 Deployment', 'name: web, namespace: shop')}spec:
  replicas: two
  pausd: true
  template:
    spec:
      containers:
        - {name: a, image: 5}
        - {name: b, image: b, ports: 80}
`,
    [
      '4:1 field-required spec.selector',
      '5:3 wrong-type spec.replicas',
      '6:3 unknown-field spec.pausd',
      '10:21 wrong-type spec.template.spec.containers.0.image',
      '11:31 wrong-type spec.template.spec.containers.1.ports',
    ],
  ],
  [
    'no name, no namespace, a label and a field of the wrong type',
    `${head('apps/v1 Deployment', 'labels: {a: 1}')}spec: {replicas: two, selector: {matchLabels: {a: b}}, template: ${pod}}\n`,
    [
      '3:1 name-required metadata',
      '3:1 namespace-required metadata',
      '3:21 wrong-type metadata.labels.a',
      '4:8 wrong-type spec.replicas',
    ],
  ],
  [
    'a misspelt kind, and fields of the one that is meant',
    `${head('apps/v1 Deploymant', 'name: web')}spec: {replicas: two, template: ${pod}}\n`,
    [
      '2:1 unknown-kind kind',
      '3:1 namespace-required metadata',
      '4:1 field-required spec.selector',
      '4:8 wrong-type spec.replicas',
    ],
  ],
  [
    'a namespace of a cluster-scoped object, and a field',
    `${head('v1 Namespace', 'name: web, namespace: web')}spec: {finalizers: a}\n`,
    ['3:23 namespace-not-allowed metadata.namespace', '4:8 wrong-type spec.finalizers'],
  ],
  [
    'a misspelt field that is required',
    `${head('apps/v1 Deployment', 'name: web, namespace: web')}spec: {selectr: {}, template: ${pod}}\n`,
    ['4:8 unknown-field spec.selectr'],
  ],
  [
    'a field, a bad key and bad contents of a Secret',
    `${head('v1 Secret', 'name: web, namespace: shop, finalizers: [x]')}typ: a
type: kubernetes.io/dockerconfigjson
data: {"a b": "", .dockerconfigjson: YWJj}
stringData: {"": a}
`,
    [
      '3:53 invalid metadata.finalizers.0',
      '4:1 unknown-field typ',
      '6:8 invalid data.a b',
      '6:19 invalid data..dockerconfigjson',
      '7:14 invalid stringData.',
    ],
  ],
  [
    'what else servers refuse in a Secret, a Role and a binding',
    `${head('v1 Secret', 'name: web, namespace: shop')}type: kubernetes.io/tls
stringData: {tls.crt: a}
---
${head('rbac.authorization.k8s.io/v1 Role', 'name: web, namespace: shop, labels: {a b: c}')}rules: [{resources: [pods], verbs: []}]
---
${head('rbac.authorization.k8s.io/v1 RoleBinding', 'name: web, namespace: shop')}roleRef: {kind: Rolle, name: a, apiGroup: rbac.authorization.k8s.io}
`,
    [
      '1:1 field-required data.tls.key',
      '9:40 invalid metadata.labels',
      '10:9 field-required rules.0.apiGroups',
      '10:29 field-required rules.0.verbs',
      '15:11 invalid-value roleRef.kind',
    ],
  ],
  [
    'what YAML programs read differently, and what else is wrong in the document and in the next',
    `${head('apps/v1 Deployment', 'name: web')}spec:
  replicas: 010
  paused: yes
  minReadySeconds: a
  minReadySeconds: b
  selector: {matchLabels: {a: b}}
  template: ${pod}
---
${head('v1 ConfigMap', 'name: web, namespace: shop')}data: {a: 1}
`,
    [
      '3:1 namespace-required metadata',
      '5:13 ambiguous-scalar',
      '6:11 ambiguous-scalar',
      '7:3 wrong-type spec.minReadySeconds',
      '8:3 duplicate-key',
      '15:8 wrong-type data.a',
    ],
  ],
  [
    'an open quote, and what is wrong in the next document',
    `${head('v1 ConfigMap', 'name: web, namespace: shop')}data:
  a: "b
---
${head('v1 ConfigMap', 'name: web2, namespace: shop')}data:
  a: 1
`,
    ['11:3 wrong-type data.a', '12:1 yaml-syntax'],
  ],
  [
    'what no override adds on every cluster',
    `${head('apps/v1 Deployment', 'name: web, namespace: shop')}spec: {template: {spec: {containers: [{name: a}, {name: b}]}}}
---
${head('apps/v1 Deployment', 'name: other, namespace: shop')}spec: {template: ${pod}}
---
apiVersion: apps/v1
kind: Deployment
spec: {template: ${pod}}
---
${head('placement.kubernetes-fleet.io/v1 ResourceOverride', 'name: a, namespace: shop')}spec:
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy:
    overrideRules:
      - ${toAll('/spec/selector, value: {}', '/spec/template/spec/containers/0, value: {name: a, image: b}')}
      - ${rule('[{labelSelector: {matchLabels: {a: b}}}]', '/spec/template/spec/containers/1/image, value: b')}
---
${head('v1 Namespace', 'name: shop')}`,
    [
      '4:50 field-required spec.template.spec.containers.1.image',
      '9:1 field-required spec.selector',
      '11:1 name-required metadata',
      '13:1 field-required spec.selector',
    ],
  ],
  [
    'data and names in a typed envelope',
    `${head('placement.kubernetes-fleet.io/v1beta1 ResourceEnvelope', 'name: web, namespace: shop')}data:
  a:
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: A_1, namespace: shop}
    data: {"a b": c, d: 1}
`,
    ['8:16 invalid-name data.a.metadata.name', '9:12 invalid data.a.data.a b', '9:22 wrong-type data.a.data.d'],
  ],
  [
    'everything in an envelope',
    `${head('v1 ConfigMap', 'name: web, namespace: shop, annotations: {kubernetes-fleet.io/envelope-configmap: "true"}')}foo: 1
data:
  a: |
    {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: other}, data: {a: 1}}
  b: nothing
`,
    ['4:1 unknown-field foo', '6:3 invalid-envelope data.a', '6:3 wrong-type data.a', '8:3 invalid-envelope data.b'],
  ],
])('reports at once %s', async (_, text, expected) => {
  expect(await found(text)).toEqual(expected);
});

it('reports at once what is wrong in a refused placement, with its references, and nothing that follows from another', async () => {
  const placement = (name: string, more: string) =>
    `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterResourcePlacement\nmetadata: {name: ${name}}\nspec:\n  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: wbe}]\n${more}---\n`;
  const files = {
    'a.yaml':
      placement('a', '  polciy: {}\n  policy: {placementType: PickFixed, clusterNames: [eu1, 5]}\n') +
      placement('b, annotations: {gitfleet.dev/suspeded: x}', '  revisionHistoryLimit: 0\n') +
      placement(
        'c',
        '  policy: {placementType: PickN, numberOfClusters: two, tolerations: [{operator: Exists, value: a}]}\n',
      ) +
      placement('d', '  policy: {placementType: PickM, numberOfClusters: 2}\n'),
  };
  const { problems } = await loadFleet(await openDirectory(folder(files)), undefined, { incomplete: true });
  expect(problems.map(({ line, code, path }) => `${line} ${code} ${path}`)).toEqual([
    '5 dangling-reference spec.resourceSelectors.0.name',
    '6 unknown-field spec.polciy',
    '7 dangling-reference spec.policy.clusterNames.0',
    '7 wrong-type spec.policy.clusterNames.1',
    '11 unknown-annotation metadata.annotations.gitfleet.dev/suspeded',
    '13 dangling-reference spec.resourceSelectors.0.name',
    '14 out-of-range spec.revisionHistoryLimit',
    '20 dangling-reference spec.resourceSelectors.0.name',
    '21 wrong-type spec.policy.numberOfClusters',
    '21 field-not-allowed spec.policy.tolerations.0.value',
    '27 dangling-reference spec.resourceSelectors.0.name',
    '28 invalid-value spec.policy.placementType',
  ]);
});

it('a reference to a kind that is not there names the kind that is meant', async () => {
  const placement =
    'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterResourcePlacement\nmetadata: {name: a}\nspec:\n  resourceSelectors: [{group: "", version: v1, kind: Namespaces, name: web}]\n  polciy: {}\n';
  const { problems } = await loadFleet(await openDirectory(folder({ 'a.yaml': placement })), undefined, {
    incomplete: true,
  });
  expect(problems.map(({ code, fix }) => `${code}: ${fix}`)).toContain('dangling-reference: did you mean Namespace?');
});
