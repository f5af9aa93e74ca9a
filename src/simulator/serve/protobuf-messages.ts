/** The fields of one protobuf message of Kubernetes' API by their numbers (generated.proto of each API group). */
export interface Message {
  readonly fields: ReadonlyMap<number, Field>;
  readonly nested: Readonly<Record<string, Message>>;
}

interface Field {
  readonly name: string;
  /** A pointer in Go: a zero says something. */
  readonly pointer: boolean;
  /** Its fields stand beside its siblings in JSON. */
  readonly inline: boolean;
}

/**
 * Names in the order of their numbers, from 1; `-` is a number that is not used here. A `*` behind a name marks a pointer, a
 * `^` a message that is inline in JSON.
 */
function message(names: string, nested: Readonly<Record<string, Message>> = {}): Message {
  const fields = names.split(' ').map((word, index): [number, Field] => {
    const name = word.replace(/[*^]$/, '');
    return [index + 1, { name, pointer: word.endsWith('*'), inline: word.endsWith('^') }];
  });
  return { fields: new Map(fields.filter(([, { name }]) => name !== '-')), nested };
}

/** Every kind has its metadata first. */
const whole = (names: string, nested: Readonly<Record<string, Message>> = {}): Message =>
  message(`metadata ${names}`, { metadata: meta, ...nested });

const meta = message(
  'name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds* labels annotations ownerReferences finalizers',
  { ownerReferences: message('kind - name uid apiVersion controller* blockOwnerDeletion*') },
);
const selector = message('matchLabels matchExpressions', { matchExpressions: message('key operator values') });

const reference = message('name');
const resources = message('limits requests');
const seccomp = message('type localhostProfile*');
const container = message(
  'name image command args workingDir ports env resources volumeMounts - - - terminationMessagePath imagePullPolicy securityContext stdin stdinOnce tty envFrom terminationMessagePolicy',
  {
    volumeMounts: message('name readOnly mountPath subPath mountPropagation* subPathExpr'),
    securityContext: message(
      'capabilities privileged* - runAsUser* runAsNonRoot* readOnlyRootFilesystem* allowPrivilegeEscalation* runAsGroup* - - seccompProfile',
      { capabilities: message('add drop'), seccompProfile: seccomp },
    ),
    ports: message('name hostPort containerPort protocol hostIP'),
    env: message('name value'),
    resources,
    envFrom: message('prefix configMapRef secretRef', {
      configMapRef: message('reference^ optional*', { reference }),
      secretRef: message('reference^ optional*', { reference }),
    }),
  },
);
const pod = message(
  '- containers restartPolicy terminationGracePeriodSeconds* activeDeadlineSeconds* dnsPolicy nodeSelector serviceAccountName serviceAccount nodeName hostNetwork hostPID hostIPC securityContext imagePullSecrets hostname subdomain - schedulerName initContainers automountServiceAccountToken* - - priorityClassName priority* - - - - enableServiceLinks* preemptionPolicy*',
  {
    securityContext: message(
      '- runAsUser* runAsNonRoot* supplementalGroups fsGroup* runAsGroup* - - fsGroupChangePolicy* seccompProfile',
      {
        seccompProfile: seccomp,
      },
    ),
    containers: container,
    initContainers: container,
    imagePullSecrets: reference,
  },
);
const template = message('metadata spec', { metadata: meta, spec: pod });
const job = message(
  'parallelism* completions* activeDeadlineSeconds* selector manualSelector* template backoffLimit* ttlSecondsAfterFinished* completionMode suspend* - backoffLimitPerIndex* maxFailedIndexes* podReplacementPolicy managedBy*',
  { selector, template },
);

const rules = message('verbs apiGroups resources resourceNames nonResourceURLs');
const binding = whole('subjects roleRef', {
  subjects: message('kind apiGroup name namespace'),
  roleRef: message('apiGroup kind name'),
});
const backend = message('- - resource service', {
  resource: message('apiGroup kind name'),
  service: message('name port', { port: message('name number') }),
});

/** What `kubectl create` sends this way. */
const messages: Readonly<Record<string, Message>> = {
  'v1 Namespace': whole('spec status', { spec: message('finalizers') }),
  'v1 ConfigMap': whole('data binaryData immutable*'),
  'v1 Secret': whole('data type stringData immutable*'),
  'v1 ServiceAccount': whole('secrets imagePullSecrets automountServiceAccountToken*', { imagePullSecrets: reference }),
  'v1 ResourceQuota': whole('spec status', { spec: message('hard scopes') }),
  'v1 Service': whole('spec status', {
    spec: message(
      'ports selector clusterIP type externalIPs - sessionAffinity loadBalancerIP loadBalancerSourceRanges externalName externalTrafficPolicy healthCheckNodePort publishNotReadyAddresses - - - ipFamilyPolicy* clusterIPs ipFamilies allocateLoadBalancerNodePorts* loadBalancerClass* internalTrafficPolicy*',
      { ports: message('name protocol port targetPort nodePort appProtocol*') },
    ),
  }),
  'apps/v1 Deployment': whole('spec status', {
    spec: message(
      'replicas* selector template strategy minReadySeconds revisionHistoryLimit* paused - progressDeadlineSeconds*',
      {
        selector,
        template,
        strategy: message('type rollingUpdate', { rollingUpdate: message('maxUnavailable* maxSurge*') }),
      },
    ),
  }),
  'batch/v1 Job': whole('spec status', { spec: job }),
  'batch/v1 CronJob': whole('spec status', {
    spec: message(
      'schedule startingDeadlineSeconds* concurrencyPolicy suspend* jobTemplate successfulJobsHistoryLimit* failedJobsHistoryLimit* timeZone*',
      { jobTemplate: message('metadata spec', { metadata: meta, spec: job }) },
    ),
  }),
  'policy/v1 PodDisruptionBudget': whole('spec status', {
    spec: message('minAvailable* selector maxUnavailable*', { selector }),
  }),
  'scheduling.k8s.io/v1 PriorityClass': whole('value* globalDefault description preemptionPolicy*'),
  'rbac.authorization.k8s.io/v1 Role': whole('rules', { rules }),
  'rbac.authorization.k8s.io/v1 ClusterRole': whole('rules aggregationRule', {
    rules,
    aggregationRule: message('clusterRoleSelectors', { clusterRoleSelectors: selector }),
  }),
  'rbac.authorization.k8s.io/v1 RoleBinding': binding,
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': binding,
  'networking.k8s.io/v1 Ingress': whole('spec status', {
    spec: message('defaultBackend tls rules ingressClassName*', {
      defaultBackend: backend,
      tls: message('hosts secretName'),
      rules: message('host value^', {
        value: message('http', {
          http: message('paths', { paths: message('path backend pathType*', { backend }) }),
        }),
      }),
    }),
  }),
};

export const messageOf = (kind: string): Message | undefined => messages[kind];
