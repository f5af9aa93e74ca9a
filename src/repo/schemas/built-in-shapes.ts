import { createRequire } from 'node:module';
import { isVersion } from '../../engine/selection/group-version.ts';
import { builtInScope } from '../../engine/selection/scope.ts';
import {
  protocols,
  pullPolicies,
  restartPolicies,
  serviceTypes,
  strategies,
} from '../../engine/server-rules/choices.ts';
import { requiredFields } from './required-fields.ts';
import type { ObjectShape, Shape } from './shape.ts';
import type { ValueLimits } from './value-limits.ts';

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

/**
 * The shape of a kind that Kubernetes itself serves; undefined for others. Loads, at the first use of a kind, only the models that
 * it consists of, of the 900 that there are.
 */
export function builtInShape(group: string, version: string, kind: string): Shape | undefined {
  const name = modelOf(group, version, kind);
  if (name === undefined) return undefined;
  if (!known.has(name)) loadModel(name);
  return known.get(name)?.shape;
}

/**
 * The newest stable version of a kind that Kubernetes itself serves; `written`, if that is served as well. Undefined for kinds without a
 * stable version.
 */
export function stableVersion(group: string, kind: string, written: string): string | undefined {
  if (builtInShape(group, written, kind) !== undefined) return written;
  return ['v2', 'v1'].find((version) => builtInShape(group, version, kind) !== undefined);
}

/** Of dynamic resource allocation, fields have types of their own with each version of Kubernetes. */
const leftOut = new Set(['resource.k8s.io', 'placement.kubernetes-fleet.io']);

function modelOf(group: string, version: string, kind: string): string | undefined {
  const isServed = isVersion(version) && !leftOut.has(group) && builtInScope(group, kind) !== undefined;
  if (!isServed) return undefined;
  if (kind === 'Event' && version === 'v1') return group === '' ? 'CoreV1Event' : 'EventsV1Event';
  return `V${version.slice(1)}${kind}`;
}

function loadModel(root: string): void {
  const pending: (readonly [name: string, attributes: readonly Attribute[]])[] = [];
  for (let names: readonly string[] = [root]; names.length > 0; ) {
    const missing = [...new Set(names)].filter((name) => !known.has(name));
    const loaded = missing.map((name) => [name, attributesOf(name)] as const);
    for (const [name, attributes] of loaded) {
      const fields = new Map<string, Shape>();
      const required = requiredFields[name]?.split(' ') ?? [];
      known.set(name, attributes && { shape: { is: 'object', fields, required, open: false }, fields });
    }
    names = loaded.flatMap(([, attributes]) => (attributes ?? []).flatMap(({ type }) => modelsIn(type)));
    pending.push(...loaded.map(([name, attributes]) => [name, attributes ?? []] as const));
  }
  // Models contain each other, so the fields are set once all are there.
  for (const [name, attributes] of pending)
    for (const attribute of attributes) known.get(name)?.fields.set(attribute.baseName, shapeOf(name, attribute));
}

/** Models in a type such as `Array<RbacV1Subject>`; many have their group in front of the version. */
const modelsIn = (type: string): readonly string[] =>
  (type.match(/\b[A-Z]\w*/g) ?? []).filter((name) => !noModels.has(name));

const noModels: ReadonlySet<string> = new Set(['Array', 'Date', 'IntOrString', 'V1MicroTime']);

/** Undefined where there is no such model. Synchronous, since reading manifests is no I/O otherwise. */
function attributesOf(name: string): readonly Attribute[] | undefined {
  try {
    const module = load(`@kubernetes/client-node/dist/gen/models/${name}.js`) as Record<string, Model>;
    return module[name]?.getAttributeTypeMap?.();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

const load = createRequire(import.meta.url);

function shapeOf(model: string, { baseName, type, format }: Attribute): Shape {
  const list = /^Array<(.*)>$/.exec(type)?.[1];
  if (list !== undefined) return { is: 'list', items: shapeOf(model, { baseName, type: list, format }) };
  const values = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  if (values === 'string' && quantities.has(baseName)) return { is: 'map', values: { is: 'quantity' } };
  if (values !== undefined) return { is: 'map', values: shapeOf(model, { baseName, type: values, format }) };
  const limits = valueLimits(model, baseName);
  switch (type) {
    case 'string':
      return { is: quantityFields.has(`${model}.${baseName}`) ? 'quantity' : 'string', limits };
    case 'Date':
    case 'V1MicroTime':
      return { is: 'string' };
    case 'number':
      return { is: format === 'double' ? 'number' : 'integer', limits };
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

/** Numbers that servers refuse below 0, in whatever kind. */
const counts = new Set(
  'replicas minReadySeconds revisionHistoryLimit progressDeadlineSeconds parallelism completions backoffLimit activeDeadlineSeconds terminationGracePeriodSeconds successfulJobsHistoryLimit failedJobsHistoryLimit'.split(
    ' ',
  ),
);

const port = { minimum: 1, maximum: 65_535 };
const oneOf = (...choices: readonly string[]): ValueLimits => ({ enum: choices, isDefaultIfEmpty: true });
const protocol = oneOf(...protocols);

/** Limits that the models do not have (validation.go of the kinds), of the fields that people write most. */
const limitsOf: Readonly<Record<string, ValueLimits>> = {
  'V1ContainerPort.containerPort': port,
  'V1ContainerPort.protocol': protocol,
  'V1ServicePort.port': port,
  'V1ServicePort.protocol': protocol,
  'V1ServiceSpec.type': oneOf(...serviceTypes),
  'V1Container.imagePullPolicy': oneOf(...pullPolicies),
  'V1PodSpec.restartPolicy': oneOf(...restartPolicies),
  'V1DeploymentStrategy.type': oneOf(...strategies),
};

const valueLimits = (model: string, field: string): ValueLimits | undefined =>
  limitsOf[`${model}.${field}`] ?? (counts.has(field) && model.endsWith('Spec') ? { minimum: 0 } : undefined);
