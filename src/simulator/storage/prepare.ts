import { type Kind, storageKey } from '../kinds/kind.ts';
import { at, fieldsAt, listAt, numberAt, textAt } from '../object.ts';
import type { Fields } from '../schema/schema.ts';
import { isFields } from '../schema/schema.ts';

export interface Allocation {
  /** A cluster IP that nobody else has. */
  readonly clusterIP: () => string;
  readonly nodePort: () => number;
}

/** Defaults that depend on other fields, by storage key; called after the schema's own defaults on every write. */
export function prepare(object: Fields, live: Fields | undefined, kind: Kind, allocate: Allocation): Fields {
  return byKind[storageKey(kind)]?.(object, live, allocate) ?? object;
}

type Prepare = (object: Fields, live: Fields | undefined, allocate: Allocation) => Fields;

const inSpec = (object: Fields, spec: Fields): Fields => ({
  ...object,
  spec: { ...fieldsAt(object, 'spec'), ...spec },
});

const byKind: Readonly<Record<string, Prepare>> = {
  '/pods': (pod) => ({ ...pod, spec: podSpec(fieldsAt(pod, 'spec'), true) }),
  'apps/deployments': (deployment) =>
    inSpec(templated(deployment), {
      strategy:
        textAt(deployment, 'spec', 'strategy', 'type') === 'Recreate'
          ? fieldsAt(deployment, 'spec', 'strategy')
          : rolling(fieldsAt(deployment, 'spec', 'strategy'), { maxSurge: '25%', maxUnavailable: '25%' }),
    }),
  'apps/daemonsets': (set) =>
    inSpec(templated(set), {
      updateStrategy:
        textAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete'
          ? fieldsAt(set, 'spec', 'updateStrategy')
          : rolling(fieldsAt(set, 'spec', 'updateStrategy'), { maxSurge: 0, maxUnavailable: 1 }),
    }),
  'apps/statefulsets': (set) =>
    inSpec(templated(set), {
      updateStrategy:
        textAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete'
          ? fieldsAt(set, 'spec', 'updateStrategy')
          : rolling(fieldsAt(set, 'spec', 'updateStrategy'), { partition: 0 }),
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
  'batch/jobs': (job, live) => templated(live ? job : jobOwnLabels(jobCounts(job))),
  'batch/cronjobs': (cron) => {
    const template = fieldsAt(cron, 'spec', 'jobTemplate');
    return inSpec(cron, { jobTemplate: templated(template) });
  },
  '/namespaces': (namespace) => {
    const name = textAt(namespace, 'metadata', 'name');
    const metadata = fieldsAt(namespace, 'metadata');
    const labels = { ...fieldsAt(metadata, 'labels'), 'kubernetes.io/metadata.name': name };
    return { ...inSpec({ ...namespace, metadata: { ...metadata, labels } }, finalizers(namespace)) };
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
  '/persistentvolumeclaims': (claim) => {
    // The only storage class of a simulated member; a claim that names none gets it.
    const spec = at(claim, 'spec', 'storageClassName') === undefined ? { storageClassName: 'standard' } : {};
    return inSpec(claim, spec);
  },
  'networking.k8s.io/networkpolicies': (policy) => {
    if (at(policy, 'spec', 'policyTypes') !== undefined) return policy;
    const egress = at(policy, 'spec', 'egress') === undefined ? [] : ['Egress'];
    return inSpec(policy, { policyTypes: ['Ingress', ...egress] });
  },
  'rbac.authorization.k8s.io/rolebindings': subjects,
  'rbac.authorization.k8s.io/clusterrolebindings': subjects,
  'autoscaling/horizontalpodautoscalers': (hpa) =>
    at(hpa, 'spec', 'metrics') === undefined
      ? inSpec(hpa, {
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
          ],
        })
      : hpa,
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

/** Both counts are 1 where neither is named; parallelism alone is 1 too. */
function jobCounts(job: Fields): Fields {
  const [parallelism, completions] = [at(job, 'spec', 'parallelism'), at(job, 'spec', 'completions')];
  const alone = parallelism === undefined && completions === undefined;
  return inSpec(job, { parallelism: parallelism ?? 1, ...(alone ? { completions: 1 } : {}) });
}

/** The selector of a Job is its own uid, unless its author says that he knows better (batch/job/strategy.go). */
function jobOwnLabels(job: Fields): Fields {
  if (at(job, 'spec', 'manualSelector') === true) return job;
  const uid = textAt(job, 'metadata', 'uid');
  const name = textAt(job, 'metadata', 'name');
  const template = fieldsAt(job, 'spec', 'template');
  const labels = {
    ...fieldsAt(template, 'metadata', 'labels'),
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  return inSpec(job, {
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
    template: { ...template, metadata: { ...fieldsAt(template, 'metadata'), labels } },
  });
}

const finalizers = (namespace: Fields): Fields =>
  at(namespace, 'spec', 'finalizers') === undefined && at(namespace, 'metadata', 'deletionTimestamp') === undefined
    ? { finalizers: ['kubernetes'] }
    : {};

const rolling = (strategy: Fields, defaults: Fields): Fields => ({
  type: 'RollingUpdate',
  ...strategy,
  rollingUpdate: { ...defaults, ...fieldsAt(strategy, 'rollingUpdate') },
});

function templated(object: Fields): Fields {
  const template = fieldsAt(object, 'spec', 'template');
  if (at(template, 'spec') === undefined) return object;
  const metadata = { creationTimestamp: null, ...fieldsAt(template, 'metadata') };
  return inSpec(object, { template: { ...template, metadata, spec: podSpec(fieldsAt(template, 'spec'), false) } });
}

function podSpec(spec: Fields, alone: boolean): Fields {
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount') || (alone ? 'default' : '');
  const containers = (key: string): Fields =>
    at(spec, key) === undefined ? {} : { [key]: listAt(spec, key).map(container) };
  return {
    ...spec,
    ...containers('containers'),
    ...containers('initContainers'),
    ...(account === '' ? {} : { serviceAccountName: account, serviceAccount: account }),
    ...(alone && at(spec, 'enableServiceLinks') === undefined ? { enableServiceLinks: true } : {}),
    ...(alone && at(spec, 'priority') === undefined ? { priority: 0, preemptionPolicy: 'PreemptLowerPriority' } : {}),
  };
}

function container(value: unknown): unknown {
  const image = textAt(value, 'image');
  const tag = /:([^/:@]+)(@|$)/.exec(image)?.[1];
  const latest = !image.includes('@') && (tag === undefined || tag === 'latest');
  const limits = fieldsAt(value, 'resources', 'limits');
  const requests = { ...limits, ...fieldsAt(value, 'resources', 'requests') };
  return {
    ...(value as Fields),
    imagePullPolicy: textAt(value, 'imagePullPolicy') || (latest ? 'Always' : 'IfNotPresent'),
    ...(Object.keys(limits).length > 0 ? { resources: { ...fieldsAt(value, 'resources'), requests } } : {}),
  };
}

function service(object: Fields, live: Fields | undefined, allocate: Allocation): Fields {
  const spec = fieldsAt(object, 'spec');
  const type = textAt(spec, 'type');
  if (type === 'ExternalName') return object;
  const before = textAt(live, 'spec', 'clusterIP');
  const wanted = textAt(spec, 'clusterIP');
  const clusterIP = wanted !== '' ? wanted : before !== '' ? before : allocate.clusterIP();
  const outside = type === 'NodePort' || type === 'LoadBalancer';
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
