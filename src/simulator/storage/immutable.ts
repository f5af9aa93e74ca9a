import { at } from '../../engine/kernel/at.ts';
import { forbiddenField, invalidField, type StatusCause } from '../../engine/server-rules/cause.ts';
import { same } from '../fields/compare.ts';
import { type Kind, storageKey } from '../kinds/kind.ts';
import type { Fields } from '../schema/schema.ts';

/** Changes of immutable fields, as the causes of a 422. */
export function immutableCauses(live: Fields, next: Fields, kind: Kind): StatusCause[] {
  return byKind[storageKey(kind)]?.(live, next) ?? [];
}

type Check = (live: Fields, next: Fields) => StatusCause[];

const fixed =
  (...paths: readonly string[]): Check =>
  (live, next) =>
    paths.flatMap((path) => {
      const steps = path.split('.');
      const value = at(next, ...steps);
      return same(at(live, ...steps), value) ? [] : [invalidField(path, value ?? null, 'field is immutable')];
    });

/** The only fields of `spec` that may change. */
const onlySpec =
  (message: string, ...allowed: readonly string[]): Check =>
  (live, next) => {
    const before = at(live, 'spec') as Fields;
    const after = at(next, 'spec') as Fields;
    const moved = [...new Set([...Object.keys(before), ...Object.keys(after)])].some(
      (key) => !allowed.includes(key) && !same(before[key], after[key]),
    );
    return moved ? [forbiddenField('spec', message)] : [];
  };

const sealed: Check = (live, next) => {
  if (at(live, 'immutable') !== true) return [];
  const frozen = 'field is immutable when `immutable` is set';
  return ['immutable', 'data', 'binaryData'].flatMap((field) =>
    same(live[field], next[field]) ? [] : [forbiddenField(field, frozen)],
  );
};

const withoutImages = (pod: Fields): unknown => {
  const spec = at(pod, 'spec') as Fields;
  const plain = (list: unknown) =>
    Array.isArray(list) ? list.map((item) => ({ ...(item as Fields), image: '' })) : list;
  return {
    ...spec,
    containers: plain(spec['containers']),
    initContainers: plain(spec['initContainers']),
    activeDeadlineSeconds: 0,
    tolerations: [],
    schedulingGates: [],
    nodeName: spec['nodeName'] ?? '',
    terminationGracePeriodSeconds: 0,
  };
};

/** In an Indexed Job, completions and parallelism may change together. */
const completions: Check = (live, next) => {
  const [before, after] = [live, next].map((job) => at(job, 'spec', 'completions'));
  if (same(before, after)) return [];
  if (at(next, 'spec', 'completionMode') !== 'Indexed') return fixed('spec.completions')(live, next);
  return same(after, at(next, 'spec', 'parallelism'))
    ? []
    : [invalidField('spec.completions', after ?? null, 'can only be modified in tandem with spec.parallelism')];
};

/** Scheduling fields of a Job's template may change while it is suspended and has not started; other fields may not. */
const jobTemplate: Check = (live, next) => {
  const waits = at(live, 'spec', 'suspend') === true && at(live, 'status', 'startTime') === undefined;
  return waits && same(withoutPlaces(live), withoutPlaces(next)) ? [] : fixed('spec.template')(live, next);
};

function withoutPlaces(job: Fields): unknown {
  const without = (from: unknown, ...names: readonly string[]): Fields =>
    Object.fromEntries(Object.entries((from ?? {}) as Fields).filter(([name]) => !names.includes(name)));
  const template = at(job, 'spec', 'template') as Fields;
  return {
    metadata: without(template['metadata'], 'labels', 'annotations'),
    spec: without(template['spec'], 'nodeSelector', 'tolerations', 'schedulingGates', 'affinity'),
    affinity: without(at(template, 'spec', 'affinity'), 'nodeAffinity'),
  };
}

const byKind: Readonly<Record<string, Check>> = {
  'apps/deployments': fixed('spec.selector'),
  'apps/replicasets': fixed('spec.selector'),
  'apps/daemonsets': fixed('spec.selector'),
  'apps/statefulsets': onlySpec(
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    'replicas',
    'ordinals',
    'template',
    'updateStrategy',
    'revisionHistoryLimit',
    'persistentVolumeClaimRetentionPolicy',
    'minReadySeconds',
  ),
  'batch/jobs': (live, next) => [
    ...fixed(
      'spec.selector',
      'spec.completionMode',
      'spec.podFailurePolicy',
      'spec.successPolicy',
      'spec.backoffLimitPerIndex',
      'spec.managedBy',
    )(live, next),
    ...completions(live, next),
    ...jobTemplate(live, next),
  ],
  '/pods': (live, next) =>
    same(withoutImages(live), withoutImages(next))
      ? []
      : [
          forbiddenField(
            'spec',
            'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
          ),
        ],
  '/services': (live, next) =>
    at(next, 'spec', 'type') === 'ExternalName' || at(live, 'spec', 'type') === 'ExternalName'
      ? []
      : same(at(live, 'spec', 'clusterIP'), at(next, 'spec', 'clusterIP'))
        ? []
        : [invalidField('spec.clusterIPs[0]', [at(next, 'spec', 'clusterIP')], 'may not change once set')],
  '/persistentvolumeclaims': onlySpec(
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    'resources',
    'volumeName',
    'volumeAttributesClassName',
  ),
  '/configmaps': sealed,
  '/secrets': (live, next) => [...sealed(live, next), ...fixed('type')(live, next)],
  'rbac.authorization.k8s.io/rolebindings': roleRef,
  'rbac.authorization.k8s.io/clusterrolebindings': roleRef,
  'storage.k8s.io/storageclasses': fixed('provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'),
  'scheduling.k8s.io/priorityclasses': fixed('value', 'preemptionPolicy'),
  'apiextensions.k8s.io/customresourcedefinitions': fixed(
    'spec.group',
    'spec.scope',
    'spec.names.kind',
    'spec.names.plural',
  ),
};

function roleRef(live: Fields, next: Fields): StatusCause[] {
  if (same(live['roleRef'], next['roleRef'])) return [];
  return [invalidField('roleRef', next['roleRef'], 'cannot change roleRef')];
}
