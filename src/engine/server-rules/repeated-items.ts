import { listAt } from '../kernel/at.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import type { Cause } from './cause.ts';
import { podSpecs } from './pod-specs.ts';

/** Lists by their paths, `[]` behind lists that contain them, with the fields that name an item. */
type Keys = Readonly<Record<string, readonly string[]>>;

const name = ['name'];
const container: Keys = {
  'ports[]': ['containerPort', 'protocol'],
  'env[]': name,
  'volumeDevices[]': ['devicePath'],
  'resources.claims[]': name,
};
/** Below the spec of a pod. */
const podKeys: Keys = {
  'imagePullSecrets[]': name,
  'hostAliases[]': ['ip'],
  'topologySpreadConstraints[]': ['topologyKey', 'whenUnsatisfiable'],
  'resourceClaims[]': name,
  'schedulingGates[]': name,
  'resources.claims[]': name,
  ...Object.fromEntries(
    ['containers', 'initContainers'].flatMap((list) =>
      Object.entries(container).map(([path, keys]) => [`${list}[].${path}`, keys]),
    ),
  ),
};
const webhookKeys: Keys = { 'webhooks[].matchConditions[]': name };

/**
 * Lists that server-side apply merges item by item (`x-kubernetes-list-map-keys` of the OpenAPI description of Kubernetes 1.35), without
 * those whose repeated items validation refuses by itself: containers, volumes, mounts, ports of Services, webhooks.
 */
const byKind: Readonly<Record<string, Keys>> = {
  ...Object.fromEntries(
    Object.entries(podSpecs).map(([kind, spec]) => [
      kind,
      Object.fromEntries(Object.entries(podKeys).map(([path, keys]) => [`${spec}.${path}`, keys])),
    ]),
  ),
  '/ServiceAccount': { 'secrets[]': name },
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhookKeys,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhookKeys,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': {
    'spec.matchConditions[]': name,
    'spec.variables[]': name,
  },
};

interface Row {
  readonly steps: readonly string[];
  readonly keys: readonly string[];
}

/** Steps to lists: `containers`, `env`. */
const rows: ReadonlyMap<string, readonly Row[]> = new Map(
  Object.entries(byKind).map(([kind, lists]) => [
    kind,
    Object.entries(lists).map(([path, keys]) => ({
      steps: path.slice(0, -2).split('[].'),
      keys,
    })),
  ]),
);

const defaults = { protocol: 'TCP' };

/** Server-side apply accepts each item once. Other writes than apply store both (structured-merge-diff, duplicate entries for key). */
export const repeatedItems = (object: Fields, key: string): Cause[] =>
  (rows.get(key) ?? []).flatMap((row) => walk(object, row, { from: 0, field: '' }));

function walk(value: unknown, row: Row, { from, field }: { readonly from: number; readonly field: string }): Cause[] {
  const step = row.steps[from]!;
  const items = listAt(value, ...step.split('.'));
  const place = field === '' ? step : `${field}.${step}`;
  if (from === row.steps.length - 1) return repeatedIn(items, { keys: row.keys, defaults }, place);
  return items.flatMap((item, index) => walk(item, row, { from: from + 1, field: `${place}[${index}]` }));
}

interface ListKeys {
  readonly keys: readonly string[];
  /** Key fields that servers fill in before they compare. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/** Items of one list with the keys of an earlier one. Items without a key are left out: that is what is reported of them. */
export function repeatedIn(items: readonly unknown[], { keys, defaults = {} }: ListKeys, field: string): Cause[] {
  if (items.length < 2) return [];
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    if (!isFields(item)) return [];
    const values = keys.map((name) => item[name] ?? defaults[name]);
    const key = JSON.stringify(values);
    if (values.includes(undefined)) return [];
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const text = keys.map((name, at) => `${name} ${String(values[at])}`).join(' and ');
    return [
      {
        reason: 'FieldValueDuplicate',
        why: `server-side apply accepts one item with ${text}`,
        fix: 'keep one of them',
        message: `duplicate entries for key [${text}]`,
        field: `${field}[${index}]`,
      },
    ];
  });
}
