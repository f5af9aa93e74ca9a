import { at, fieldsAt, listAt, numberAt, textAt } from '../../engine/kernel/at.ts';
import { type Kind, storageKey } from '../kinds/kind.ts';
import type { Fields } from '../schema/schema.ts';
import { isFields } from '../schema/schema.ts';
import { newJob } from './prepare-job.ts';
import { inSpec, ownSpec, ownStatus, templated } from './prepare-pod.ts';

export interface Allocation {
  /** An unused cluster IP. */
  readonly clusterIP: () => string;
  readonly nodePort: () => number;
}

/** Defaults that depend on other fields, by storage key; called after the schema's own defaults on every write. */
export function prepare(object: Fields, live: Fields | undefined, kind: Kind, allocate: Allocation): Fields {
  return byKind[storageKey(kind)]?.(object, live, allocate) ?? object;
}

type Prepare = (object: Fields, live: Fields | undefined, allocate: Allocation) => Fields;

const byKind: Readonly<Record<string, Prepare>> = {
  '/pods': (pod, live) => (live ? ownSpec(pod) : ownStatus(ownSpec(pod))),
  'apps/deployments': (deployment) =>
    inSpec(templated(deployment), {
      strategy: rolling(fieldsAt(deployment, 'spec', 'strategy'), { maxSurge: '25%', maxUnavailable: '25%' }),
    }),
  'apps/daemonsets': (set) =>
    inSpec(templated(set), {
      updateStrategy: rolling(fieldsAt(set, 'spec', 'updateStrategy'), { maxSurge: 0, maxUnavailable: 1 }),
    }),
  'apps/statefulsets': (set) =>
    inSpec(templated(set), {
      updateStrategy: rolling(fieldsAt(set, 'spec', 'updateStrategy'), { partition: 0 }),
      ...(at(set, 'spec', 'volumeClaimTemplates') === undefined
        ? {}
        : {
            volumeClaimTemplates: listAt(set, 'spec', 'volumeClaimTemplates').map((claim) => ({
              apiVersion: 'v1',
              kind: 'PersistentVolumeClaim',
              ...(claim as Fields),
              status: { phase: 'Pending', ...fieldsAt(claim, 'status') },
            })),
          }),
    }),
  'apps/replicasets': (set) => templated(set),
  'batch/jobs': (job, live) => templated(live ? job : newJob(job)),
  'batch/cronjobs': (cron) => {
    const template = fieldsAt(cron, 'spec', 'jobTemplate');
    return inSpec(cron, { jobTemplate: templated(template) });
  },
  '/namespaces': (namespace, live) => {
    const name = textAt(namespace, 'metadata', 'name');
    const metadata = fieldsAt(namespace, 'metadata');
    const labels = { ...fieldsAt(metadata, 'labels'), 'kubernetes.io/metadata.name': name };
    const labelled = { ...namespace, metadata: { ...metadata, labels } };
    return inPhase('Active', inSpec(labelled, finalizers(namespace)), live);
  },
  '/secrets': (secret) => {
    if (at(secret, 'stringData') === undefined) return secret;
    const { stringData, ...rest } = secret;
    const encoded = Object.entries(isFields(stringData) ? stringData : {}).map(([key, value]) => [
      key,
      Buffer.from(String(value)).toString('base64'),
    ]);
    return { ...rest, data: { ...fieldsAt(secret, 'data'), ...Object.fromEntries(encoded) } };
  },
  '/services': service,
  '/persistentvolumes': (volume, live) => inPhase('Pending', volume, live),
  '/persistentvolumeclaims': (claim, live) => {
    // The only storage class of a simulated member, and the default of claims.
    const spec = at(claim, 'spec', 'storageClassName') === undefined ? { storageClassName: 'standard' } : {};
    return inPhase('Pending', inSpec(claim, spec), live);
  },
  'networking.k8s.io/networkpolicies': (policy) => {
    if (at(policy, 'spec', 'policyTypes') !== undefined) return policy;
    const egress = at(policy, 'spec', 'egress') === undefined ? [] : ['Egress'];
    return inSpec(policy, { policyTypes: ['Ingress', ...egress] });
  },
  'rbac.authorization.k8s.io/rolebindings': subjects,
  'rbac.authorization.k8s.io/clusterrolebindings': subjects,
  'apiextensions.k8s.io/customresourcedefinitions': (crd) => {
    const names = fieldsAt(crd, 'spec', 'names');
    const kind = textAt(names, 'kind');
    return inSpec(crd, {
      names: {
        ...names,
        singular: textAt(names, 'singular') || kind.toLowerCase(),
        listKind: textAt(names, 'listKind') || `${kind}List`,
      },
      conversion: at(crd, 'spec', 'conversion') ?? { strategy: 'None' },
    });
  },
};

/** Sets the initial phase of a new object. */
const inPhase = (phase: string, object: Fields, live: Fields | undefined): Fields =>
  live || object['status'] !== undefined ? object : { ...object, status: { phase } };

const finalizers = (namespace: Fields): Fields =>
  at(namespace, 'spec', 'finalizers') === undefined && at(namespace, 'metadata', 'deletionTimestamp') === undefined
    ? { finalizers: ['kubernetes'] }
    : {};

/** A strategy with its defaults; those of other types have none. */
const rolling = (strategy: Fields, defaults: Fields): Fields =>
  strategy['type'] === 'Recreate' || strategy['type'] === 'OnDelete'
    ? strategy
    : { type: 'RollingUpdate', ...strategy, rollingUpdate: { ...defaults, ...fieldsAt(strategy, 'rollingUpdate') } };

function service(written: Fields, live: Fields | undefined, allocate: Allocation): Fields {
  const object = withoutOldType(written, live);
  const spec = fieldsAt(object, 'spec');
  const type = textAt(spec, 'type');
  if (type === 'ExternalName') return object;
  const before = textAt(live, 'spec', 'clusterIP');
  const wanted = textAt(spec, 'clusterIP');
  const clusterIP = wanted !== '' ? wanted : before !== '' ? before : allocate.clusterIP();
  const outside = isOutside(type);
  const oldPorts = listAt(live, 'spec', 'ports');
  const ports = listAt(spec, 'ports').map((port) => {
    const old = oldPorts.find(
      (item) =>
        numberAt(item, 'port') === numberAt(port, 'port') && textAt(item, 'protocol') === textAt(port, 'protocol'),
    );
    const nodePort = at(port, 'nodePort') ?? at(old, 'nodePort');
    return {
      ...(port as Fields),
      targetPort: at(port, 'targetPort') ?? at(port, 'port'),
      ...(outside ? { nodePort: nodePort ?? allocate.nodePort() } : {}),
    };
  });
  return inSpec(object, {
    clusterIP,
    clusterIPs: listAt(spec, 'clusterIPs').length > 0 ? listAt(spec, 'clusterIPs') : [clusterIP],
    ...(ports.length > 0 ? { ports } : {}),
    ipFamilies: at(spec, 'ipFamilies') ?? ['IPv4'],
    ipFamilyPolicy: at(spec, 'ipFamilyPolicy') ?? 'SingleStack',
    internalTrafficPolicy: at(spec, 'internalTrafficPolicy') ?? 'Cluster',
    ...(outside ? { externalTrafficPolicy: at(spec, 'externalTrafficPolicy') ?? 'Cluster' } : {}),
    ...(type === 'LoadBalancer'
      ? { allocateLoadBalancerNodePorts: at(spec, 'allocateLoadBalancerNodePorts') ?? true }
      : {}),
  });
}

/** A Service that is no longer open to the outside loses what only those have, unless it is written anew (dropTypeDependentFields). */
function withoutOldType(object: Fields, live: Fields | undefined): Fields {
  const { externalTrafficPolicy: policy, loadBalancerClass: balancer, ...spec } = fieldsAt(object, 'spec');
  const type = textAt(spec, 'type');
  if (live === undefined || type === textAt(live, 'spec', 'type') || isOutside(type)) return object;
  const given = new Set(listAt(live, 'spec', 'ports').map((port) => at(port, 'nodePort')));
  const ports = listAt(spec, 'ports').map((port) => {
    const { nodePort, ...rest } = port as Fields;
    return given.has(nodePort) ? rest : port;
  });
  return {
    ...object,
    spec: {
      ...spec,
      ...(ports.length > 0 ? { ports } : {}),
      ...(policy === at(live, 'spec', 'externalTrafficPolicy') ? {} : { externalTrafficPolicy: policy }),
      ...(balancer === at(live, 'spec', 'loadBalancerClass') ? {} : { loadBalancerClass: balancer }),
    },
  };
}

const isOutside = (type: string): boolean => type === 'NodePort' || type === 'LoadBalancer';

function subjects(binding: Fields): Fields {
  const ref = fieldsAt(binding, 'roleRef');
  return {
    ...binding,
    roleRef: { ...ref, apiGroup: textAt(ref, 'apiGroup') || 'rbac.authorization.k8s.io' },
    ...(at(binding, 'subjects') === undefined
      ? {}
      : {
          subjects: listAt(binding, 'subjects').map((subject) => {
            const group = textAt(subject, 'kind') === 'ServiceAccount' ? '' : 'rbac.authorization.k8s.io';
            return group === '' || at(subject, 'apiGroup') !== undefined
              ? subject
              : { ...(subject as Fields), apiGroup: group };
          }),
        }),
  };
}
