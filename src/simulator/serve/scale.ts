import { at, fieldsAt, textAt } from '../../engine/kernel/at.ts';
import type { Kind } from '../kinds/kind.ts';
import { selectorText } from '../kinds/selector-text.ts';
import type { Stored } from '../object.ts';
import type { Fields } from '../schema/schema.ts';
import { scale as scaleSchema } from '../schema/workloads.ts';

/** The scale subresource as a kind of its own, to validate requests. */
export const scaleKind = (kind: Kind): Kind => ({
  ...kind,
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  schema: scaleSchema,
  status: false,
  generation: false,
});

const steps = (path: string): string[] => path.split('.').filter((step) => step !== '');

export function scaleOf(kind: Kind, object: Stored): Fields {
  const { spec, status, selector } = kind.scale!;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = at(object, ...steps(spec));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: typeof replicas === 'number' ? { replicas } : {},
    status: {
      replicas: at(object, ...steps(status)) ?? 0,
      ...(selector === undefined ? {} : { selector: querySelector(at(object, ...steps(selector))) }),
    },
  };
}

/** The object with the replicas of a Scale. */
export function withScale(kind: Kind, object: Stored, scale: Fields): Fields {
  const version = textAt(scale, 'metadata', 'resourceVersion');
  const scaled = put(object, steps(kind.scale!.spec), at(scale, 'spec', 'replicas') ?? 0) as Fields;
  return {
    ...scaled,
    metadata: { ...fieldsAt(scaled, 'metadata'), ...(version === '' ? {} : { resourceVersion: version }) },
  };
}

function put(value: unknown, path: readonly string[], item: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return item;
  const fields = (value ?? {}) as Fields;
  return { ...fields, [step]: put(fields[step], rest, item) };
}

/** Custom resources may have it as a string already. */
const querySelector = (selector: unknown): string => (typeof selector === 'string' ? selector : selectorText(selector));
