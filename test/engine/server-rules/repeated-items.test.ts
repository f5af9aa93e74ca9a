import { describe, expect, it } from 'vitest';
import { objectCauses } from '../../../src/engine/server-rules/object-causes.ts';
import { repeatedItems } from '../../../src/engine/server-rules/repeated-items.ts';
import { builtinKinds } from '../../../src/simulator/kinds/builtin.ts';
import type { Schema } from '../../../src/simulator/schema/schema.ts';

const of = (type: string, spec: object): string[] =>
  repeatedItems({ spec }, type).map(({ field, why }) => `${field}: ${why}`);
const pod = (container: object, spec: object = {}): string[] => of('/Pod', { containers: [container], ...spec });

it.each<[string, string[], ...string[]]>([
  [
    'variables',
    pod({ env: [{ name: 'A' }, { name: 'B' }, { name: 'A' }] }),
    'spec.containers[0].env[2]: server-side apply accepts one item with name A',
  ],
  [
    'ports',
    pod({
      ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }, { containerPort: 80, protocol: 'TCP' }],
    }),
    'spec.containers[0].ports[2]: server-side apply accepts one item with containerPort 80 and protocol TCP',
  ],
  [
    'secrets of a pod',
    pod({}, { imagePullSecrets: [{ name: 'a' }, { name: 'a' }] }),
    'spec.imagePullSecrets[1]: server-side apply accepts one item with name a',
  ],
  [
    'a CronJob',
    of('batch/CronJob', {
      jobTemplate: { spec: { template: { spec: { initContainers: [{ env: [{ name: 'A' }, { name: 'A' }] }] } } } },
    }),
    'spec.jobTemplate.spec.template.spec.initContainers[0].env[1]: server-side apply accepts one item with name A',
  ],
  [
    'nothing',
    pod(
      { env: [{ name: 'A' }, { name: 'a' }, {}, {}, null], envFrom: [{}, {}], args: ['a', 'a'] },
      { tolerations: [{}, {}] },
    ),
  ],
])('%s', (_, found, ...expected) => {
  expect(found).toEqual(expected);
});

/** Paths of lists that are merged by keys, with their keys, as far as people write them. */
function listsIn(schema: Schema, path: string, seen: readonly Schema[] = []): [string, readonly string[]][] {
  if (seen.includes(schema)) return [];
  const within = [...seen, schema];
  if (schema.type === 'list' && schema.items) {
    const below = listsIn(schema.items, `${path}[]`, within);
    return schema.listType === 'map' ? [[path, schema.keys!], ...below] : below;
  }
  return Object.entries(schema.fields ?? {}).flatMap(([name, field]) =>
    ['metadata', 'status', 'ephemeralContainers'].includes(name)
      ? []
      : listsIn(field, path === '' ? name : `${path}.${name}`, within),
  );
}

/** An object with two equal items in a list. */
function withTwo(path: readonly string[], item: object): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return [item, item];
  const value = withTwo(rest, item);
  return step.endsWith('[]') ? { [step.slice(0, -2)]: [value] } : { [step]: value };
}

// Kinds that workloads make are not what people place.
const made = new Set(['PodTemplate', 'ControllerRevision', 'ReplicationController', 'Node', 'Endpoints']);
describe('what simulated members merge by keys', () => {
  const lists = builtinKinds
    .filter(({ kind }) => !made.has(kind))
    .flatMap(({ group, kind, schema }) =>
      listsIn(schema, '').map(([path, keys]) => [`${group}/${kind}`, path, keys] as const),
    );
  it.each(lists)('%s %s %s', (type, path, keys) => {
    const [group = '', kind = ''] = type.split('/');
    const object = withTwo(path.split('.'), Object.fromEntries(keys.map((key) => [key, 'a']))) as Record<
      string,
      unknown
    >;
    const causes = [...objectCauses(object, { group, kind, custom: false }), ...repeatedItems(object, type)];
    const place = `${path.replaceAll('[]', '[0]')}[1]`;
    expect(causes.some(({ field, why }) => field.startsWith(place) && /twice|unique|one item/.test(why))).toBe(true);
  });
});
