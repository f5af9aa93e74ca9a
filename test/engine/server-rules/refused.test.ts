import { describe, expect, it } from 'vitest';
import { metadataCauses } from '../../../src/engine/server-rules/metadata-causes.ts';
import { objectCauses } from '../../../src/engine/server-rules/object-causes.ts';

/** `field: why` of what servers refuse in an object; `type` as `apps/Deployment`. */
function causes(type: string, object: object): string[] {
  const [group = '', kind = ''] = type.split('/');
  const of = { group, kind, custom: false };
  const named = { metadata: { name: 'a.b' }, ...object };
  return [...metadataCauses(named, of), ...objectCauses(named, of)].map(({ field, why }) =>
    why === '' ? field : `${field}: ${why}`,
  );
}
const c = (more: object = {}) => ({ name: 'c', image: 'i', ...more });
const pod = (spec: object) => causes('/Pod', { spec: { containers: [c()], ...spec } });
const container = (more: object) =>
  pod({ containers: [c(more)] }).map((text) => text.replace('spec.containers[0].', ''));
const labels = { a: 'b' };
const workload = (kind: string, spec: object, template: object = {}) =>
  causes(`apps/${kind}`, {
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [c()] }, ...template },
      ...spec,
    },
  });
const probe = { httpGet: { port: 80 } };

type Row = readonly [string, string[], ...string[]];
const rows = (title: string, ...all: Row[]) =>
  describe(title, () => {
    it.each(all)('%s', (_, found, ...expected) => {
      expect(found).toEqual(expected);
    });
  });

rows(
  'containers',
  [
    'two probes',
    container({ livenessProbe: { ...probe, exec: { command: ['a'] } } }),
    'livenessProbe.httpGet: may not specify more than 1 handler type',
  ],
  [
    'successes of a liveness probe',
    container({ livenessProbe: { ...probe, successThreshold: 2 } }),
    'livenessProbe.successThreshold: must be 1',
  ],
  ['successes of a readiness probe', container({ readinessProbe: { ...probe, successThreshold: 2 } })],
  [
    'a negative period',
    container({ livenessProbe: { ...probe, periodSeconds: -1 } }),
    'livenessProbe.periodSeconds: must be greater than or equal to 0',
  ],
  [
    'a scheme',
    container({ livenessProbe: { httpGet: { port: 80, scheme: 'https' } } }),
    'livenessProbe.httpGet.scheme: must be one of HTTP, HTTPS',
  ],
  ['no command', container({ lifecycle: { preStop: { exec: {} } } }), 'lifecycle.preStop.exec.command'],
  [
    'value and valueFrom',
    container({ env: [{ name: 'A', value: 'x', valueFrom: { secretKeyRef: {} } }] }),
    'env[0].valueFrom: may not be specified when `value` is not empty',
  ],
  ['valueFrom beside an empty value', container({ env: [{ name: 'A', value: '', valueFrom: { secretKeyRef: {} } }] })],
  [
    'two sources',
    container({ env: [{ name: 'A', valueFrom: { secretKeyRef: {}, configMapKeyRef: {} } }] }),
    'env[0].valueFrom: may not have more than one field specified at a time',
  ],
  ['no source', container({ env: [{ name: 'A', valueFrom: {} }] }), 'env[0].valueFrom: must specify a source'],
  ['a name with =', container({ env: [{ name: 'A=B' }] }), "env[0].name: a valid environment variable name has no '='"],
  ['names that servers accept', container({ env: [{ name: 'a.b-C 1' }, { name: '1A' }] })],
  [
    'a field of the pod',
    container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.foo' } } }] }),
    'env[0].valueFrom.fieldRef.fieldPath: no variable may show this field',
  ],
  [
    'fields of the pod',
    container({
      env: ['metadata.name', 'status.podIPs', "metadata.labels['a/b']"].map((fieldPath) => ({
        name: 'A',
        valueFrom: { fieldRef: { fieldPath } },
      })),
    }),
  ],
  [
    'cpus',
    container({ resources: { requests: { cpus: 1 } } }),
    'resources.requests[cpus]: must be a standard resource for containers',
  ],
  [
    'a request without its limit',
    container({ resources: { requests: { 'nvidia.com/gpu': 1 } } }),
    'resources.limits: Limit must be set for non overcommitable resources',
  ],
  [
    'a request unlike its limit',
    container({ resources: { requests: { 'nvidia.com/gpu': 1 }, limits: { 'nvidia.com/gpu': 2 } } }),
    'resources.requests: must be equal to nvidia.com/gpu limit of 2',
  ],
  [
    'half a device',
    container({ resources: { limits: { 'nvidia.com/gpu': '500m' } } }),
    'resources.limits[nvidia.com/gpu]: must be an integer',
  ],
  [
    'negative memory',
    container({ resources: { limits: { memory: '-1Gi' } } }),
    'resources.limits[memory]: must be greater than or equal to 0',
  ],
  [
    'resources that are right',
    container({
      resources: {
        requests: { cpu: '0.5', 'ephemeral-storage': '1Gi', 'nvidia.com/gpu': '1', 'hugepages-2Mi': '2Mi' },
        limits: { 'nvidia.com/gpu': 1, 'hugepages-2Mi': '2Mi', memory: 1 },
      },
    }),
  ],
  [
    'ports',
    container({ ports: [{ containerPort: 70_000 }, { containerPort: 80, hostPort: -1 }] }),
    'ports[0].containerPort: must be between 1 and 65535, inclusive',
    'ports[1].hostPort: must be between 1 and 65535, inclusive',
  ],
  [
    'privileged without escalation',
    container({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
    'securityContext: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
  ],
);

rows(
  'pods',
  ['an init container without an image', pod({ initContainers: [{ name: 'a' }] }), 'spec.initContainers[0].image'],
  [
    'an init container with the name of a container',
    pod({ initContainers: [c()] }),
    'spec.initContainers[0].name: occurs twice',
  ],
  [
    'a probe of an init container',
    pod({ initContainers: [{ name: 'a', image: 'i', livenessProbe: probe }] }),
    'spec.initContainers[0].livenessProbe: may not be set for init containers without restartPolicy=Always',
  ],
  [
    'a probe of a sidecar',
    pod({ initContainers: [{ name: 'a', image: 'i', restartPolicy: 'Always', livenessProbe: probe }] }),
  ],
  [
    'the name of a volume',
    pod({ volumes: [{ name: 'V_1' }] }),
    "spec.volumes[0].name: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'",
  ],
  [
    'dnsPolicy None alone',
    pod({ dnsPolicy: 'None' }),
    'spec.dnsConfig.nameservers: must provide at least one DNS nameserver when `dnsPolicy` is None',
  ],
  ['dnsPolicy None', pod({ dnsPolicy: 'None', dnsConfig: { nameservers: ['10.0.0.1'] } })],
  [
    'another port of the node',
    pod({
      hostNetwork: true,
      containers: [c({ ports: [{ containerPort: 80, hostPort: 81 }, { containerPort: 82 }] })],
    }),
    'spec.containers[0].ports[0].hostPort: must match `containerPort` when `hostNetwork` is true',
  ],
  [
    'nodeSelector',
    pod({ nodeSelector: { 'a b': 'c' } }),
    "spec.nodeSelector: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  ],
  [
    'Exists with a value',
    pod({ tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }),
    "spec.tolerations[0].operator: value must be empty when `operator` is 'Exists'",
  ],
  [
    'seconds of NoSchedule',
    pod({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 3 }] }),
    "spec.tolerations[0].effect: effect must be 'NoExecute' when `tolerationSeconds` is set",
  ],
  [
    'Equal without a key',
    pod({ tolerations: [{ value: 'b' }] }),
    'spec.tolerations[0].operator: operator must be Exists when `key` is empty',
  ],
  [
    'tolerations that are right',
    pod({
      tolerations: [
        { operator: 'Exists' },
        { key: 'a/b.c', value: 'd' },
        { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 },
      ],
    }),
  ],
  [
    'maxSkew',
    pod({ topologySpreadConstraints: [{ maxSkew: 0 }, { maxSkew: 1 }] }),
    'spec.topologySpreadConstraints[0].maxSkew: must be greater than zero',
  ],
);

const affinity = (kind: string, when: 'required' | 'preferred', value: unknown) =>
  pod({ affinity: { [kind]: { [`${when}DuringSchedulingIgnoredDuringExecution`]: value } } }).map((text) =>
    text.replace(/^.*IgnoredDuringExecution/, ''),
  );
const preference = { matchExpressions: [{ key: 'a', operator: 'Exists' }] };
rows(
  'affinity',
  [
    'a weight',
    affinity('nodeAffinity', 'preferred', [{ weight: 200, preference }]),
    '[0].weight: must be in the range 1-100',
  ],
  [
    'a weight of pods',
    affinity('podAffinity', 'preferred', [{ weight: 0, podAffinityTerm: {} }]),
    '[0].weight: must be in the range 1-100',
  ],
  [
    'no terms',
    affinity('nodeAffinity', 'required', { nodeSelectorTerms: [] }),
    '.nodeSelectorTerms: must have at least one node selector term',
  ],
  [
    'operators',
    affinity('nodeAffinity', 'required', {
      nodeSelectorTerms: [
        {
          matchExpressions: [
            { key: 'a', operator: 'Equals', values: ['b'] },
            { key: 'a', operator: 'In' },
            { key: 'a', operator: 'Gt', values: ['1'] },
          ],
        },
      ],
    }),
    '.nodeSelectorTerms[0].matchExpressions[0].operator: must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt',
    ".nodeSelectorTerms[0].matchExpressions[1].values: must be specified when `operator` is 'In' or 'NotIn'",
  ],
  [
    'selectors of pods',
    affinity('podAntiAffinity', 'required', [
      { labelSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
    ]),
    "[0].labelSelector.matchExpressions[0].values: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
  ],
);

const matching = '`selector` does not match template `labels`';
const label =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const rolling = (rollingUpdate: object, type = 'RollingUpdate') =>
  workload('Deployment', { strategy: { type, rollingUpdate } });
const daemons = (rollingUpdate: object) => workload('DaemonSet', { updateStrategy: { rollingUpdate } });
const stateful = (volumeClaimTemplates: object[]) => workload('StatefulSet', { volumeClaimTemplates });
rows(
  'workloads',
  ['nothing', workload('Deployment', {})],
  [
    'a label of the template',
    workload('Deployment', {}, { metadata: { labels: { a: 'b', c: 'd e' } } }),
    `spec.template.metadata.labels: ${label}`,
  ],
  ...['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'].map(
    (kind): Row => [
      `an empty selector: ${kind}`,
      workload(kind, { selector: {} }),
      `spec.selector: empty selector is invalid for ${kind.toLowerCase()}`,
    ],
  ),
  [
    'an expression that the template does not match',
    workload('Deployment', { selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['c'] }] } }),
    `spec.template.metadata.labels: ${matching}`,
  ],
  [
    'expressions that it matches',
    workload('Deployment', {
      selector: {
        matchExpressions: [
          { key: 'a', operator: 'In', values: ['b'] },
          { key: 'x', operator: 'DoesNotExist' },
        ],
      },
    }),
  ],
  [
    'In without values',
    workload('Deployment', { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
    "spec.selector.matchExpressions[0].values: must be specified when `operator` is 'In' or 'NotIn'",
  ],
  [
    'Recreate with rollingUpdate',
    rolling({ maxSurge: 1 }, 'Recreate'),
    "spec.strategy.rollingUpdate: may not be specified when strategy `type` is 'Recreate'",
  ],
  [
    'neither surge nor unavailable',
    rolling({ maxSurge: 0, maxUnavailable: '0%' }),
    'spec.strategy.rollingUpdate.maxUnavailable: may not be 0 when `maxSurge` is 0',
  ],
  ['maxUnavailable 0', rolling({ maxUnavailable: 0 })],
  [
    'a percentage without %',
    rolling({ maxSurge: '25' }),
    "spec.strategy.rollingUpdate.maxSurge: a valid percent string must be a numeric string followed by an ending '%'",
  ],
  [
    '101%',
    rolling({ maxSurge: '101%', maxUnavailable: '101%' }),
    'spec.strategy.rollingUpdate.maxUnavailable: must not be greater than 100%',
  ],
  [
    'a deadline before pods are available',
    workload('Deployment', { progressDeadlineSeconds: 10, minReadySeconds: 10 }),
    'spec.progressDeadlineSeconds: must be greater than minReadySeconds',
  ],
  [
    'the usual deadline',
    workload('Deployment', { minReadySeconds: 600 }),
    'spec.progressDeadlineSeconds: must be greater than minReadySeconds',
  ],
  [
    'daemons: neither',
    daemons({ maxUnavailable: 0 }),
    'spec.updateStrategy.rollingUpdate.maxUnavailable: cannot be 0 when maxSurge is 0',
  ],
  [
    'daemons: both',
    daemons({ maxSurge: 1 }),
    'spec.updateStrategy.rollingUpdate.maxSurge: may not be set when maxUnavailable is non-zero',
  ],
  ['daemons: surge', daemons({ maxSurge: '10%', maxUnavailable: 0 })],
  [
    'a partition',
    workload('StatefulSet', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: -1 } } }),
    'spec.updateStrategy.rollingUpdate.partition: must be greater than or equal to 0',
  ],
  [
    'claims',
    stateful([{ metadata: { name: 'd' }, spec: { resources: { requests: { storage: '1Gi' } } } }]),
    'spec.volumeClaimTemplates[0].spec.accessModes: at least 1 access mode is required',
  ],
);

const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [c()] } } };
const cron = (spec: object) =>
  causes('batch/CronJob', { spec: { schedule: '0 3 * * *', jobTemplate: { spec: jobSpec }, ...spec } });
const job = (spec: object) => causes('batch/Job', { spec: { ...jobSpec, ...spec } });
const schedule = 'spec.schedule: it is not a cron schedule of five fields';
rows(
  'jobs',
  ...['@every 1h30m', '@every 90s', '@every 1.5h', '@daily', '*/5 * * * *'].map(
    (text): Row => [text, cron({ schedule: text })],
  ),
  ...['@every', '@every day', '@every 5', '@sometimes', '0 0 0 * * *', 'TZ=UTC 0 0 * * *'].map(
    (text): Row => [text, cron({ schedule: text }), schedule],
  ),
  [
    'a negative deadline',
    cron({ startingDeadlineSeconds: -5 }),
    'spec.startingDeadlineSeconds: must be greater than or equal to 0',
  ],
  [
    'a negative history',
    cron({ successfulJobsHistoryLimit: -1 }),
    'spec.successfulJobsHistoryLimit: must be greater than or equal to 0',
  ],
  ['a selector', job({ selector: { matchLabels: labels } }), 'spec.selector: `selector` not auto-generated'],
  ['a selector of its own', job({ manualSelector: true, selector: { matchLabels: labels } })],
);

const port = { port: 80 };
const service = (spec: object) => causes('/Service', { metadata: { name: 'a' }, spec: { ports: [port], ...spec } });
rows(
  'Services',
  [
    'the name of a port',
    service({ ports: [{ ...port, name: 'HTTP' }] }),
    "spec.ports[0].name: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'",
  ],
  ['a port', service({ ports: [{ port: 0 }] }), 'spec.ports[0].port: must be between 1 and 65535, inclusive'],
  [
    'a port twice',
    service({
      ports: [
        { ...port, name: 'a' },
        { ...port, protocol: 'TCP', name: 'b' },
        { ...port, protocol: 'UDP', name: 'c' },
      ],
    }),
    'spec.ports[1]: occurs twice',
  ],
  [
    'nodePort of a ClusterIP',
    service({ ports: [{ ...port, nodePort: 30_000 }] }),
    "spec.ports[0].nodePort: may not be used when `type` is 'ClusterIP'",
  ],
  ['nodePort', service({ type: 'LoadBalancer', ports: [{ ...port, nodePort: 30_000 }] })],
  ['ExternalName without a name', service({ type: 'ExternalName' }), 'spec.externalName'],
  [
    'the URL of an ExternalName',
    service({ type: 'ExternalName', externalName: 'https://a.b' }),
    'spec.externalName: must be a DNS name',
  ],
  [
    'externalTrafficPolicy',
    service({ externalTrafficPolicy: 'Local' }),
    'spec.externalTrafficPolicy: may only be set for externally-accessible services',
  ],
  [
    'loadBalancerClass',
    service({ loadBalancerClass: 'a.b/c' }),
    "spec.loadBalancerClass: may only be used when `type` is 'LoadBalancer'",
  ],
  ['clusterIP', service({ clusterIP: 'foo' }), "spec.clusterIP: must be empty, 'None', or a valid IP address"],
  ...['None', '10.0.0.1', 'fd00::1'].map((clusterIP): Row => [`clusterIP ${clusterIP}`, service({ clusterIP })]),
);

const web = { service: { name: 'web', port: { number: 80 } } };
const ingress = (rule: object, backend: object = web) =>
  causes('networking.k8s.io/Ingress', {
    spec: { rules: [{ ...rule, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
  });
const at = 'spec.rules[0].http.paths[0].backend';
const dns = 'must be a DNS name in lower case, without scheme, port and path';
rows(
  'Ingresses',
  [
    'nothing',
    causes('networking.k8s.io/Ingress', { spec: {} }),
    'spec: either `defaultBackend` or `rules` must be specified',
  ],
  ['only a default', causes('networking.k8s.io/Ingress', { spec: { defaultBackend: web } })],
  ...['https://x.y', 'x.y:80', 'X.y', 'a.*.b'].map(
    (host): Row => [host, ingress({ host }), `spec.rules[0].host: ${dns}`],
  ),
  ['10.0.0.1', ingress({ host: '10.0.0.1' }), 'spec.rules[0].host: must be a DNS name, not an IP address'],
  ...['x.y', '*.x.y', 'localhost', undefined].map((host): Row => [String(host), ingress({ host })]),
  [
    'an IP address among hosts of tls, which is right',
    causes('networking.k8s.io/Ingress', { spec: { defaultBackend: web, tls: [{ hosts: ['10.0.0.1'] }] } }),
  ],
  [
    'a host of tls',
    causes('networking.k8s.io/Ingress', { spec: { defaultBackend: web, tls: [{ hosts: ['x.y', 'x.y/'] }] } }),
    `spec.tls[0].hosts[1]: ${dns}`,
  ],
  ['no port', ingress({}, { service: { name: 'web' } }), `${at}: port name or number is required`],
  [
    'two ports',
    ingress({}, { service: { name: 'web', port: { number: 80, name: 'http' } } }),
    `${at}: cannot set both port name & port number`,
  ],
  ['no backend', ingress({}, {}), `${at}: resource or service backend is required`],
  ['a resource', ingress({}, { resource: { kind: 'a', name: 'b' } })],
);

const policy = (rule: object) =>
  causes('networking.k8s.io/NetworkPolicy', { spec: { podSelector: {}, ingress: [rule] } });
const ipBlock = { cidr: '10.0.0.0/8' };
rows(
  'NetworkPolicies',
  ['an empty peer', policy({ from: [{}] }), 'spec.ingress[0].from[0]: must specify a peer'],
  [
    'ipBlock with podSelector',
    policy({ from: [{ ipBlock, podSelector: {} }] }),
    'spec.ingress[0].from[0]: may not specify both ipBlock and another peer',
  ],
  [
    'endPort below port',
    policy({ ports: [{ port: 100, endPort: 90 }] }),
    'spec.ingress[0].ports[0].endPort: must be greater than or equal to `port`',
  ],
  [
    'endPort of a name',
    policy({ ports: [{ port: 'http', endPort: 90 }] }),
    'spec.ingress[0].ports[0].endPort: may not be specified when `port` is non-numeric',
  ],
  [
    'nothing',
    policy({ from: [{ ipBlock }, { podSelector: {}, namespaceSelector: {} }], ports: [{ port: 90, endPort: 90 }] }),
  ],
);

const account = { kind: 'ServiceAccount', name: 'x' };
const rights = 'rbac.authorization.k8s.io';
const binding = (kind: string, subject: object) =>
  causes(`${rights}/${kind}`, { roleRef: { apiGroup: rights, kind: 'ClusterRole', name: 'x' }, subjects: [subject] });
rows(
  'rights',
  ['a ServiceAccount of no namespace', binding('ClusterRoleBinding', account), 'subjects[0].namespace'],
  // Without effect, but accepted (ValidateRoleBindingSubject).
  ['the same of a RoleBinding', binding('RoleBinding', account)],
  [
    'the group of a ServiceAccount',
    binding('RoleBinding', { ...account, apiGroup: rights }),
    'subjects[0].apiGroup: a ServiceAccount has none',
  ],
  [
    'the group of a User',
    binding('RoleBinding', { kind: 'User', name: 'x', apiGroup: 'v1' }),
    `subjects[0].apiGroup: must be one of ${rights}`,
  ],
  [
    'URLs with resources',
    causes(`${rights}/ClusterRole`, { rules: [{ nonResourceURLs: ['/x'], resources: ['pods'], verbs: ['get'] }] }),
    'rules[0].nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs',
  ],
);

const scaler = (spec: object) => causes('autoscaling/HorizontalPodAutoscaler', { spec: { maxReplicas: 2, ...spec } });
const metric = (type: string, of: object) => scaler({ metrics: [{ type, ...of }] });
const cpu = (target: object) => metric('Resource', { resource: { name: 'cpu', target } });
const behavior = (scaleDown: object) => scaler({ behavior: { scaleDown } });
rows(
  'HorizontalPodAutoscalers',
  [
    'no block',
    metric('Resource', {}),
    'spec.metrics[0].resource: must populate information for the given metric source',
  ],
  [
    'a block of another type',
    metric('Pods', { pods: { target: { averageValue: 1 } }, resource: {} }),
    'spec.metrics[0].resource: must populate the given metric source only',
  ],
  [
    'no value',
    cpu({ type: 'Utilization' }),
    'spec.metrics[0].resource.target.averageUtilization: must set averageUtilization or averageValue',
  ],
  [
    'two values',
    cpu({ type: 'Utilization', averageUtilization: 1, averageValue: 1 }),
    'spec.metrics[0].resource.target.averageValue: may not set both averageUtilization and averageValue',
  ],
  [
    'a value of 0',
    cpu({ type: 'Utilization', averageUtilization: 0 }),
    'spec.metrics[0].resource.target.averageUtilization: must be positive',
  ],
  [
    'a type of target',
    cpu({ type: 'Percent', averageUtilization: 80 }),
    'spec.metrics[0].resource.target.type: must be one of Utilization, Value, AverageValue',
  ],
  [
    'a policy',
    behavior({ policies: [{ type: 'Percentage', value: 1, periodSeconds: 60 }] }),
    'spec.behavior.scaleDown.policies[0].type: must be one of Pods, Percent',
  ],
  [
    'a period',
    behavior({ policies: [{ type: 'Pods', value: 0, periodSeconds: 3000 }] }),
    'spec.behavior.scaleDown.policies[0].value: must be greater than zero',
    'spec.behavior.scaleDown.policies[0].periodSeconds: must be less than or equal to 1800',
  ],
  [
    'a window',
    behavior({ stabilizationWindowSeconds: 4000 }),
    'spec.behavior.scaleDown.stabilizationWindowSeconds: must be between 0 and 3600',
  ],
  [
    'nothing',
    scaler({
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        { type: 'External', external: { metric: { name: 'a' }, target: { type: 'AverageValue', averageValue: '30' } } },
        { type: 'Object', object: { target: { type: 'Value', value: '1k' } } },
      ],
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: 'Max',
          policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
        },
      },
    }),
  ],
);

const budget = (spec: object) => causes('policy/PodDisruptionBudget', { spec });
const percent = "a valid percent string must be a numeric string followed by an ending '%'";
rows(
  'budgets, priorities and storage',
  ['a number in quotes', budget({ minAvailable: '50' }), `spec.minAvailable: ${percent}`],
  ['a negative number', budget({ maxUnavailable: -1 }), 'spec.maxUnavailable: must be greater than or equal to 0'],
  ['a percentage', budget({ maxUnavailable: '50%' })],
  [
    'a priority',
    causes('scheduling.k8s.io/PriorityClass', { value: 2_000_000_000 }),
    'value: maximum allowed value of a user defined priority is 1000000000',
  ],
  [
    'the priority of a class of Kubernetes',
    causes('scheduling.k8s.io/PriorityClass', { metadata: { name: 'system-node-critical' }, value: 2_000_001_000 }),
  ],
  [
    'a volume without a source',
    causes('/PersistentVolume', { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] } }),
    'spec: must specify a volume type',
  ],
  [
    'a volume',
    causes('/PersistentVolume', {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/a' },
        nodeAffinity: {},
      },
    }),
  ],
  [
    'a claim of nothing',
    causes('/PersistentVolumeClaim', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: 0 } } },
    }),
    'spec.resources.requests.storage: must be greater than zero',
  ],
  [
    'a minimum above the maximum',
    causes('/LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: 1 }, min: { cpu: '1500m' } }] } }),
    'spec.limits[0].min[cpu]: min value 1500m is greater than max value 1',
  ],
  ['a slice without a type', causes('discovery.k8s.io/EndpointSlice', { endpoints: [] }), 'addressType'],
);

const mebibyte = 1024 * 1024;
const size = 'data: may not be more than 1048576 bytes';
rows(
  'sizes and keys',
  ['a ConfigMap', causes('/ConfigMap', { data: { a: 'x'.repeat(mebibyte) } })],
  ['a large ConfigMap', causes('/ConfigMap', { data: { a: 'x'.repeat(mebibyte), b: 'x' } }), size],
  ['a large ConfigMap in UTF-8', causes('/ConfigMap', { data: { a: 'é'.repeat(mebibyte / 2 + 1) } }), size],
  ['a Secret', causes('/Secret', { data: { a: 'A'.repeat((mebibyte / 3) * 4) } })],
  [
    'a large Secret',
    causes('/Secret', { data: { a: 'A'.repeat(mebibyte) }, stringData: { b: 'x'.repeat(mebibyte / 2) } }),
    size,
  ],
  [
    'annotations',
    causes('/ConfigMap', { metadata: { name: 'a', annotations: { a: 'x'.repeat(256 * 1024) } } }),
    'metadata.annotations: may not be more than 262144 bytes',
  ],
  ['a key', causes('/ConfigMap', { data: { '..x': '' } }), "data[..x]: must not start with '..'"],
);

const webhook = {
  name: 'a.b.c',
  clientConfig: { url: 'https://a.b/c' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const hook = (more: object) =>
  causes('admissionregistration.k8s.io/ValidatingWebhookConfiguration', { webhooks: [{ ...webhook, ...more }] }).map(
    (text) => text.replace('webhooks[0].', ''),
  );
const one = 'clientConfig: exactly one of url or service is required';
rows(
  'webhooks',
  ['nothing', hook({})],
  ['no client', hook({ clientConfig: undefined }), 'clientConfig'],
  ['an empty client', hook({ clientConfig: {} }), one],
  ['two clients', hook({ clientConfig: { url: 'https://a.b', service: { name: 'a', namespace: 'b' } } }), one],
  [
    'http',
    hook({ clientConfig: { url: 'http://a.b' } }),
    "clientConfig.url: 'https' is the only allowed URL scheme; desired format: https://host[/path]",
  ],
  ['no side effects', hook({ sideEffects: undefined }), 'sideEffects'],
  ['no versions', hook({ admissionReviewVersions: [] }), 'admissionReviewVersions: must specify one of v1, v1beta1'],
  ['a timeout', hook({ timeoutSeconds: 60 }), 'timeoutSeconds: the timeout value must be between 1 and 30 seconds'],
  ['a rule', hook({ rules: [{ apiGroups: [''], apiVersions: ['*'], resources: ['pods'] }] }), 'rules[0].operations'],
);

const version = (more: object, x: object = { type: 'string' }) => ({
  name: 'v1',
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', properties: { x } } },
  ...more,
});
const crd = (versions: object[], names: object = {}) =>
  causes('apiextensions.k8s.io/CustomResourceDefinition', {
    metadata: { name: 'goods.example.com' },
    spec: { group: 'example.com', names: { plural: 'goods', kind: 'Good', ...names }, versions },
  }).map((text) => text.replace('spec.versions[0].schema.openAPIV3Schema.properties', ''));
const dnsName = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', and start with a letter";
rows(
  'definitions',
  ['nothing', crd([version({})])],
  [
    'a type',
    crd([version({}, { type: 'int' })]),
    '[x].type: must be one of array, boolean, integer, number, object, string',
  ],
  ['a default', crd([version({}, { type: 'integer', default: 'a' })]), '[x].default: must be of type integer'],
  [
    'defaults that are right',
    crd([
      version({}, { type: 'integer', default: 1 }),
      version({ name: 'v2', storage: false }, { type: 'array', items: { type: 'string' }, default: [] }),
    ]),
  ],
  ['$ref', crd([version({}, { type: 'object', $ref: '#/x' })]), '[x].$ref: $ref is not supported'],
  ['the name of a version', crd([version({ name: '1.0' })]), `spec.versions[0].name: ${dnsName}`],
  [
    'a version twice',
    crd([version({}), version({ storage: false })]),
    'spec.versions: must contain unique version names',
  ],
  ['a kind', crd([version({})], { kind: 'A good' }), `spec.names.kind: ${dnsName}`],
);

rows(
  'target ports that are as if they were left out',
  ...[0, ''].map((targetPort): Row => [JSON.stringify(targetPort), service({ ports: [{ port: 80, targetPort }] })]),
);
