import { builtInKinds } from '../../engine/selection/scope.ts';
import type { ObjectShape, Shape } from './shape.ts';

/** A row of the fields that the models of client-node list; generated from the OpenAPI description of Kubernetes. */
interface Attribute {
  readonly baseName: string;
  readonly type: string;
  readonly format: string;
}

interface Model {
  getAttributeTypeMap?(): readonly Attribute[];
}

const any: Shape = { is: 'any' };

/** By the name of the model; undefined where there is none. */
const known = new Map<string, { readonly shape: ObjectShape; readonly fields: Map<string, Shape> } | undefined>();

/** Whole shapes of kinds, once their models are loaded. */
const whole = new Map<string, Shape | undefined>();

/** The shape of a kind, if it was loaded and Kubernetes itself serves it. */
export const builtInShape = (group: string, version: string, kind: string): Shape | undefined =>
  whole.get(`${group}/${version}/${kind}`);

/**
 * Loads the shapes of kinds that Kubernetes itself serves, each once in a process; others are left out. Only the models that
 * they consist of are loaded, of the 900 that there are.
 */
export function loadBuiltInShapes(kinds: readonly Kind[]): Promise<void> {
  // One after the other: a shape that another load has begun lacks fields.
  const next = loading.then(() => loadMissing(kinds));
  loading = next.catch(() => {});
  return next;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

let loading: Promise<void> = Promise.resolve();

async function loadMissing(kinds: readonly Kind[]): Promise<void> {
  for (const { group, version, kind } of kinds) {
    const key = `${group}/${version}/${kind}`;
    if (whole.has(key)) continue;
    const name = modelOf(group, version, kind);
    whole.set(key, name === undefined ? undefined : await loadModel(name));
  }
}

/** Of dynamic resource allocation, fields have types of their own with each version of Kubernetes. */
const leftOut = new Set(['resource.k8s.io', 'placement.kubernetes-fleet.io']);

function modelOf(group: string, version: string, kind: string): string | undefined {
  const isServed =
    /^v\d+((alpha|beta)\d+)?$/.test(version) && !leftOut.has(group) && builtInKinds(group).includes(kind);
  if (!isServed) return undefined;
  if (kind === 'Event') return group === '' ? 'CoreV1Event' : 'EventsV1Event';
  return `V${version.slice(1)}${kind}`;
}

async function loadModel(root: string): Promise<Shape | undefined> {
  const pending: (readonly [name: string, attributes: readonly Attribute[]])[] = [];
  for (let names: readonly string[] = [root]; names.length > 0; ) {
    const missing = [...new Set(names)].filter((name) => !known.has(name));
    const loaded = await Promise.all(missing.map(async (name) => [name, await attributesOf(name)] as const));
    for (const [name, attributes] of loaded) {
      const fields = new Map<string, Shape>();
      known.set(name, attributes && { shape: { is: 'object', fields, open: false }, fields });
    }
    names = loaded.flatMap(([, attributes]) => (attributes ?? []).flatMap(({ type }) => type.match(modelName) ?? []));
    pending.push(...loaded.map(([name, attributes]) => [name, attributes ?? []] as const));
  }
  // Models contain each other, so the fields are set once all are there.
  for (const [name, attributes] of pending)
    for (const attribute of attributes) known.get(name)?.fields.set(attribute.baseName, shapeOf(name, attribute));
  return known.get(root)?.shape;
}

const modelName = /\bV\d[A-Za-z0-9]*/g;

/** Undefined where there is no such model. */
async function attributesOf(name: string): Promise<readonly Attribute[] | undefined> {
  try {
    const module = (await import(`@kubernetes/client-node/dist/gen/models/${name}.js`)) as Record<string, Model>;
    return module[name]?.getAttributeTypeMap?.();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function shapeOf(model: string, { baseName, type, format }: Attribute): Shape {
  const list = /^Array<(.*)>$/.exec(type)?.[1];
  if (list !== undefined) return { is: 'list', items: shapeOf(model, { baseName, type: list, format }) };
  const values = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  if (values === 'string' && quantities.has(baseName)) return { is: 'map', values: { is: 'quantity' } };
  if (values !== undefined) return { is: 'map', values: shapeOf(model, { baseName, type: values, format }) };
  switch (type) {
    case 'string':
      return { is: quantityFields.has(`${model}.${baseName}`) ? 'quantity' : 'string' };
    case 'Date':
      return { is: 'string' };
    case 'number':
      return { is: format === 'double' ? 'number' : 'integer' };
    case 'boolean':
      return { is: 'boolean' };
    case 'IntOrString':
      return { is: 'intOrString' };
    default:
      return known.get(type)?.shape ?? any;
  }
}

/** Maps of quantities, which the models call strings; servers accept numbers there. */
const quantities = new Set(
  'limits requests capacity allocatable allocatedResources hard used podFixed default defaultRequest max maxLimitRequestRatio min'.split(
    ' ',
  ),
);

/** The same for single quantities. */
const quantityFields = new Set([
  'V1EmptyDirVolumeSource.sizeLimit',
  'V1ResourceFieldSelector.divisor',
  'V1CSIStorageCapacity.capacity',
  'V1CSIStorageCapacity.maximumVolumeSize',
  'V2HPAScalingRules.tolerance',
  'V2MetricTarget.averageValue',
  'V2MetricTarget.value',
  'V2MetricValueStatus.averageValue',
  'V2MetricValueStatus.value',
]);
