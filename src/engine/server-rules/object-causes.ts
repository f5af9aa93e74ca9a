import { isTimeZone } from '../../api/syntax.ts';
import { at, fieldsAt, listAt, textAt } from '../kernel/at.ts';
import { parseCron } from '../kernel/cron.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { type Cause, invalidField, type RuledKind, requiredField, unsupportedField } from './cause.ts';
import { choiceCauses } from './choices.ts';
import { definitionCauses } from './definition-causes.ts';
import { networkPolicyCauses, serviceCauses, webhookCauses } from './network-causes.ts';
import { distinctNames, mountCauses, podCauses } from './pod-causes.ts';
import { podSpecs } from './pod-specs.ts';
import { bindingCauses, ruleCauses } from './rights-causes.ts';

/** Validation errors of an object by the rules of its kind, besides its schema and metadata. */
export function objectCauses(object: Fields, { group, kind }: RuledKind): Cause[] {
  const key = `${group}/${kind}`;
  return [...choiceCauses(object, key), ...negativeCauses(object, key), ...(byKind[key]?.(object) ?? [])];
}

/** Numbers of a spec that may not be negative. */
const counts: Readonly<Record<string, readonly string[]>> = {
  'apps/Deployment': ['replicas', 'minReadySeconds', 'revisionHistoryLimit'],
  'apps/ReplicaSet': ['replicas', 'minReadySeconds'],
  'apps/StatefulSet': ['replicas', 'minReadySeconds'],
  'apps/DaemonSet': ['minReadySeconds', 'revisionHistoryLimit'],
  'batch/Job': ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'],
};

function negativeCauses(object: Fields, key: string): Cause[] {
  return (counts[key] ?? []).flatMap((field) => {
    const value = at(object, 'spec', field);
    if (typeof value !== 'number' || value >= 0) return [];
    return [invalidField(`spec.${field}`, value, 'must be greater than or equal to 0', 'write 0 or more')];
  });
}

type Check = (object: Fields) => Cause[];

function template(object: Fields, key: string): Cause[] {
  const prefix = podSpecs[key]!;
  const spec = at(object, ...prefix.split('.'));
  if (listAt(spec, 'containers').length === 0) return [requiredField(`${prefix}.containers`)];
  const causes = listAt(spec, 'containers').flatMap((container, index) =>
    textAt(container, 'image') === '' ? [requiredField(`${prefix}.containers[${index}].image`)] : [],
  );
  for (const list of ['containers', 'initContainers', 'volumes'])
    causes.push(...distinctNames(listAt(spec, list), `${prefix}.${list}`));
  causes.push(...podCauses(spec, prefix));
  const volumes = new Set(listAt(spec, 'volumes').map((volume) => textAt(volume, 'name')));
  const claims = listAt(object, 'spec', 'volumeClaimTemplates').map((claim) => textAt(claim, 'metadata', 'name'));
  causes.push(...mountCauses(spec, prefix, new Set([...volumes, ...claims])));
  return causes;
}

const selected: Check = (object) => {
  const causes = template(object, 'apps/Deployment');
  if (unmatchedLabels(object).length > 0) {
    const labels = fieldsAt(object, ...templateLabels);
    causes.push(invalidField(templateLabels.join('.'), labels, '`selector` does not match template `labels`'));
  }
  return causes;
};

const templateLabels = ['spec', 'template', 'metadata', 'labels'] as const;

/** Labels that a workload selects its pods by, and that its own template does not have. */
export function unmatchedLabels(object: Fields): [key: string, value: unknown][] {
  const labels = fieldsAt(object, ...templateLabels);
  return Object.entries(fieldsAt(object, 'spec', 'selector', 'matchLabels')).filter(
    ([key, value]) => labels[key] !== value,
  );
}

function scheduled(schedule: string, timeZone: string): Cause[] {
  const wrongZone = timeZone !== '' && !isTimeZone(timeZone);
  return [
    ...(schedule !== '' && !parseCron(schedule)
      ? [
          invalidField(
            'spec.schedule',
            schedule,
            'it is not a cron schedule of five fields',
            'write for example "0 3 * * *"',
          ),
        ]
      : []),
    ...(wrongZone
      ? [invalidField('spec.timeZone', timeZone, `unknown time zone ${timeZone}`, 'write for example Europe/Berlin')]
      : []),
  ];
}

const configKey = /^[-._a-zA-Z0-9]{1,253}$/;
const configKeyRule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";

const configKeys = (object: Fields): Cause[] =>
  ['data', 'binaryData', 'stringData'].flatMap((field) =>
    Object.keys(fieldsAt(object, field)).flatMap((key) => [
      ...(configKey.test(key) && !/^\.\.?$/.test(key)
        ? []
        : [invalidField(`${field}[${key}]`, key, configKeyRule, 'use only letters, digits, -, _ and . in the key')]),
      ...(field === 'data' && at(object, 'binaryData', key) !== undefined
        ? [invalidField(`data[${key}]`, key, 'duplicate of key present in binaryData', 'keep one of them')]
        : []),
    ]),
  );

/** Required keys of a Secret by its type (core validation, ValidateSecret). */
const secretKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

/** Logins for registries are a JSON object. */
function loginsCauses(secret: Fields, key: string): Cause[] {
  if (!key.startsWith('.docker')) return [];
  const [plain, encoded] = [at(secret, 'stringData', key), at(secret, 'data', key)];
  const text = typeof plain === 'string' ? plain : typeof encoded === 'string' ? decoded(encoded) : undefined;
  if (text === undefined || isJsonObject(text)) return [];
  return [
    invalidField(
      `data[${key}]`,
      '<secret contents redacted>',
      'it is not a JSON object',
      'write what docker login writes',
    ),
  ];
}

/** Undefined where it is not base64, which is refused by itself. */
function decoded(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    return undefined;
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return value === null || isFields(value);
  } catch {
    return false;
  }
}

const secretCauses: Check = (secret) => {
  const type = textAt(secret, 'type');
  const data = { ...fieldsAt(secret, 'data'), ...fieldsAt(secret, 'stringData') };
  const missing = (...keys: readonly string[]) =>
    keys.filter((key) => data[key] === undefined).map((key) => requiredField(`data[${key}]`));
  const login = missing('username', 'password');
  const account = 'kubernetes.io/service-account.name';
  return [
    ...configKeys(secret),
    ...missing(...(secretKeys[type] ?? [])),
    ...loginsCauses(secret, secretKeys[type]?.[0] ?? ''),
    // One of both is enough.
    ...(type === 'kubernetes.io/basic-auth' && login.length === 2 ? login : []),
    ...(type === 'kubernetes.io/service-account-token' && textAt(secret, 'metadata', 'annotations', account) === ''
      ? [requiredField(`metadata.annotations[${account}]`)]
      : []),
  ];
};

/** Pods of jobs end: servers have no default that would do. */
function endingCauses(object: Fields, key: string): Cause[] {
  const field = `${podSpecs[key]}.restartPolicy`;
  const policy = textAt(object, ...field.split('.'));
  const choices = ['OnFailure', 'Never'];
  if (choices.includes(policy)) return [];
  const unsupported = unsupportedField(field, policy, choices);
  return [{ ...unsupported, reason: 'FieldValueRequired', ...(policy !== '' && { choices }) }];
}

/** An absent path is none for those two types (networking validation, validateIngressPath). */
const ingressCauses: Check = (ingress) =>
  listAt(ingress, 'spec', 'rules').flatMap((rule, r) =>
    listAt(rule, 'http', 'paths').flatMap((item, p) => {
      const [path, type] = [textAt(item, 'path'), textAt(item, 'pathType')];
      const isFree = path === '' && type !== 'Exact' && type !== 'Prefix';
      if (isFree || path.startsWith('/')) return [];
      return [
        invalidField(`spec.rules[${r}].http.paths[${p}].path`, path, 'must be an absolute path', 'begin it with /'),
      ];
    }),
  );

const isGiven = (value: unknown, field: string): boolean => (at(value, field) ?? null) !== null;

function rangeCauses({ spec }: Fields): Cause[] {
  const [least, most] = [at(spec, 'minReplicas'), at(spec, 'maxReplicas')];
  if (typeof least !== 'number' || typeof most !== 'number' || most >= least) return [];
  const why = 'must be greater than or equal to `minReplicas`';
  return [invalidField('spec.maxReplicas', most, why, 'raise it, or lower minReplicas')];
}

const byKind: Readonly<Record<string, Check>> = {
  '/ConfigMap': configKeys,
  '/Secret': secretCauses,
  'rbac.authorization.k8s.io/Role': ruleCauses('Role'),
  'rbac.authorization.k8s.io/ClusterRole': ruleCauses('ClusterRole'),
  'rbac.authorization.k8s.io/RoleBinding': bindingCauses('RoleBinding'),
  'rbac.authorization.k8s.io/ClusterRoleBinding': bindingCauses('ClusterRoleBinding'),
  '/Pod': (pod) => template(pod, '/Pod'),
  'apps/Deployment': selected,
  'apps/ReplicaSet': selected,
  'apps/StatefulSet': selected,
  'apps/DaemonSet': selected,
  'batch/Job': (job) => [...template(job, 'batch/Job'), ...endingCauses(job, 'batch/Job')],
  'batch/CronJob': (cron) => [
    ...scheduled(textAt(cron, 'spec', 'schedule'), textAt(cron, 'spec', 'timeZone')),
    ...template(cron, 'batch/CronJob'),
    ...endingCauses(cron, 'batch/CronJob'),
  ],
  '/Service': serviceCauses,
  '/PersistentVolumeClaim': (claim) => [
    ...(listAt(claim, 'spec', 'accessModes').length === 0
      ? [requiredField('spec.accessModes', 'at least 1 access mode is required')]
      : []),
    ...(at(claim, 'spec', 'resources', 'requests', 'storage') === undefined
      ? [requiredField('spec.resources[storage]')]
      : []),
  ],
  'networking.k8s.io/Ingress': ingressCauses,
  'networking.k8s.io/NetworkPolicy': networkPolicyCauses,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhookCauses,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhookCauses,
  'policy/PodDisruptionBudget': ({ spec }) =>
    isGiven(spec, 'minAvailable') && isGiven(spec, 'maxUnavailable')
      ? [invalidField('spec', spec, 'minAvailable and maxUnavailable cannot be both set', 'keep one of them')]
      : [],
  'autoscaling/HorizontalPodAutoscaler': (autoscaler) => [
    ...rangeCauses(autoscaler),
    ...['minReplicas', 'maxReplicas'].flatMap((field) => {
      const value = at(autoscaler, 'spec', field);
      if (typeof value !== 'number' || value > 0) return [];
      const rule = field === 'minReplicas' ? 'must be greater than or equal to 1' : 'must be greater than 0';
      return [invalidField(`spec.${field}`, value, rule, 'write 1 or more')];
    }),
  ],
  'apiextensions.k8s.io/CustomResourceDefinition': definitionCauses,
};
