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

const head = (kind: string, metadata: string) =>
  `apiVersion: ${kind.replace(' ', '\nkind: ')}\nmetadata: {${metadata}}\n`;

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
        - {name: b, ports: 80}
`,
    [
      '4:1 field-required spec.selector',
      '5:3 wrong-type spec.replicas',
      '6:3 unknown-field spec.pausd',
      '10:21 wrong-type spec.template.spec.containers.0.image',
      '11:21 wrong-type spec.template.spec.containers.1.ports',
    ],
  ],
  [
    'no name, no namespace, a label and a field of the wrong type',
    `${head('apps/v1 Deployment', 'labels: {a: 1}')}spec: {replicas: two, selector: {}, template: {}}\n`,
    [
      '3:1 name-required metadata',
      '3:1 namespace-required metadata',
      '3:21 wrong-type metadata.labels.a',
      '4:8 wrong-type spec.replicas',
    ],
  ],
  [
    'a misspelt kind, and fields of the one that is meant',
    `${head('apps/v1 Deploymant', 'name: web')}spec: {replicas: two, template: {}}\n`,
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
    `${head('apps/v1 Deployment', 'name: web, namespace: web')}spec: {selectr: {}, template: {}}\n`,
    ['4:8 unknown-field spec.selectr'],
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
