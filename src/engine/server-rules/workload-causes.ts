import { labelOperators } from '../../api/label-operators.ts';
import { isTimeZone } from '../../api/syntax.ts';
import { at, fieldsAt, listAt, numberAt, textAt } from '../kernel/at.ts';
import { isCronSchedule } from '../kernel/cron.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { type Cause, forbiddenField, invalidField, notAmong, requiredField, unsupportedField } from './cause.ts';
import { selectorCauses } from './label-causes.ts';
import { isNone, negativeCause, percentCauses } from './number-causes.ts';
import { podCauses, templateLabelCauses } from './pod-causes.ts';
import { podSpecs } from './pod-specs.ts';
import { claimCauses } from './storage-causes.ts';

/** Validation errors of a Pod (core validation, ValidatePodCreate). */
export const podObjectCauses = (pod: Fields): Cause[] => podCauses(pod['spec'], 'spec');

/** Of a workload whose pods stay (apps validation, ValidateDeploymentSpec and its like). */
export const stayingCauses =
  (kind: keyof typeof strategies) =>
  (object: Fields): Cause[] => [
    ...templateCauses(object, `apps/${kind}`),
    ...ownSelectorCauses(object, kind),
    ...strategies[kind](object['spec']),
  ];

/** Of a Job (batch validation, ValidateJobSpec). */
export const jobCauses = (job: Fields): Cause[] => [
  ...templateCauses(job, 'batch/Job'),
  ...endingCauses(job, 'batch/Job'),
  ...ownerSelectorCauses(job['spec']),
];

/** Of a CronJob (batch validation, ValidateCronJobSpec). */
export const cronJobCauses = (cron: Fields): Cause[] => [
  ...scheduleCauses(textAt(cron, 'spec', 'schedule'), textAt(cron, 'spec', 'timeZone')),
  ...templateCauses(cron, 'batch/CronJob'),
  ...endingCauses(cron, 'batch/CronJob'),
];

function templateCauses(object: Fields, key: string): Cause[] {
  const prefix = podSpecs[key]!;
  const path = prefix.split('.');
  const claims = key === 'apps/StatefulSet' ? listAt(object, 'spec', 'volumeClaimTemplates') : [];
  const names = claims.map((claim) => textAt(claim, 'metadata', 'name'));
  return [
    ...podCauses(at(object, ...path), prefix, names),
    ...templateLabelCauses(at(object, ...path.slice(0, -1)), prefix.slice(0, -'.spec'.length)),
    ...claims.flatMap((claim, index) => claimCauses(at(claim, 'spec'), `spec.volumeClaimTemplates[${index}].spec`)),
  ];
}

export const unmatchedRule = '`selector` does not match template `labels`';
const templateLabels = ['spec', 'template', 'metadata', 'labels'] as const;

function ownSelectorCauses(object: Fields, kind: string): Cause[] {
  const selector = at(object, 'spec', 'selector');
  if (!isFields(selector)) return [];
  const [labels, expressions] = [fieldsAt(selector, 'matchLabels'), listAt(selector, 'matchExpressions')];
  if (Object.keys(labels).length + expressions.length === 0) {
    const why = `empty selector is invalid for ${kind.toLowerCase()}`;
    return [invalidField('spec.selector', selector, why, 'write matchLabels, as in the template')];
  }
  const isMatched = unmatchedLabels(object).length === 0 && unmatchedExpressions(object).length === 0;
  const written = fieldsAt(object, ...templateLabels);
  return [
    ...selectorCauses(selector, 'spec.selector'),
    ...(isMatched ? [] : [invalidField(templateLabels.join('.'), written, unmatchedRule)]),
  ];
}

/** Labels that a workload selects its pods by, and that its own template does not have. */
export function unmatchedLabels(object: Fields): [key: string, value: unknown][] {
  const labels = fieldsAt(object, ...templateLabels);
  return Object.entries(fieldsAt(object, 'spec', 'selector', 'matchLabels')).filter(
    ([key, value]) => labels[key] !== value,
  );
}

/** The same for its expressions, by their indices; those that are wrong by themselves are left out. */
export function unmatchedExpressions(object: Fields): number[] {
  const labels = fieldsAt(object, ...templateLabels);
  return listAt(object, 'spec', 'selector', 'matchExpressions').flatMap((expression, index) => {
    const operator = labelOperators[textAt(expression, 'operator') as keyof typeof labelOperators];
    const values = listAt(expression, 'values').map(String);
    if (operator === undefined || operator.takesValues !== values.length > 0) return [];
    const label = labels[textAt(expression, 'key')];
    return operator.accepts(label === undefined ? undefined : String(label), values) ? [] : [index];
  });
}

const strategies = {
  Deployment: deploymentCauses,
  ReplicaSet: () => [],
  StatefulSet: statefulSetCauses,
  DaemonSet: daemonSetCauses,
} satisfies Readonly<Record<string, (spec: unknown) => Cause[]>>;

/** Servers wait for 600 seconds where a Deployment does not say how long. */
const usualDeadline = 600;

function deploymentCauses(spec: unknown): Cause[] {
  const deadline = at(spec, 'progressDeadlineSeconds') ?? usualDeadline;
  const isShort = typeof deadline === 'number' && deadline <= numberAt(spec, 'minReadySeconds');
  const rolling = at(spec, 'strategy', 'rollingUpdate');
  const field = 'spec.strategy.rollingUpdate';
  const late = 'must be greater than minReadySeconds';
  const deadlineCauses = isShort
    ? [invalidField('spec.progressDeadlineSeconds', deadline, late, 'raise it, or lower minReadySeconds')]
    : [];
  if (!isFields(rolling)) return deadlineCauses;
  if (textAt(spec, 'strategy', 'type') === 'Recreate') {
    const why = "may not be specified when strategy `type` is 'Recreate'";
    return [...deadlineCauses, { ...forbiddenField(field, why), fix: 'remove it' }];
  }
  const { maxSurge: surge = '25%', maxUnavailable: unavailable = '25%' } = rolling;
  return [
    ...deadlineCauses,
    ...percentCauses(unavailable, `${field}.maxUnavailable`, 100),
    ...percentCauses(surge, `${field}.maxSurge`),
    ...(isNone(surge) && isNone(unavailable)
      ? [invalidField(`${field}.maxUnavailable`, unavailable, 'may not be 0 when `maxSurge` is 0', 'raise one of them')]
      : []),
  ];
}

function statefulSetCauses(spec: unknown): Cause[] {
  const rolling = at(spec, 'updateStrategy', 'rollingUpdate');
  const field = 'spec.updateStrategy.rollingUpdate';
  if (!isFields(rolling)) return [];
  if (textAt(spec, 'updateStrategy', 'type') === 'OnDelete')
    return [invalidField(field, rolling, "only allowed for updateStrategy 'RollingUpdate'", 'remove it')];
  return negativeCause(rolling['partition'], `${field}.partition`);
}

function daemonSetCauses(spec: unknown): Cause[] {
  const rolling = at(spec, 'updateStrategy', 'rollingUpdate');
  const field = 'spec.updateStrategy.rollingUpdate';
  if (!isFields(rolling) || textAt(spec, 'updateStrategy', 'type') === 'OnDelete') return [];
  const { maxSurge: surge = 0, maxUnavailable: unavailable = 1 } = rolling;
  const both = 'may not be set when maxUnavailable is non-zero';
  return [
    ...percentCauses(unavailable, `${field}.maxUnavailable`, 100),
    ...percentCauses(surge, `${field}.maxSurge`, 100),
    ...(isNone(surge) && isNone(unavailable)
      ? [requiredField(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0', 'raise one of them')]
      : []),
    ...(isNone(surge) || isNone(unavailable)
      ? []
      : [invalidField(`${field}.maxSurge`, surge, both, 'write maxUnavailable: 0 with it')]),
  ];
}

/** Pods of jobs end: servers have no default that would do. */
function endingCauses(object: Fields, key: string): Cause[] {
  const field = `${podSpecs[key]}.restartPolicy`;
  const policy = textAt(object, ...field.split('.'));
  const choices = ['OnFailure', 'Never'];
  if (choices.includes(policy)) return [];
  if (policy !== '') return [{ ...notAmong(field, policy, choices), reason: 'FieldValueRequired' }];
  return [{ ...unsupportedField(field, policy, choices), reason: 'FieldValueRequired' }];
}

/** Servers write the selector of a Job, of the labels that they add to its pods (batch validation, validateGeneratedSelector). */
function ownerSelectorCauses(spec: unknown): Cause[] {
  const selector = at(spec, 'selector');
  if (!isFields(selector) || at(spec, 'manualSelector') === true) return [];
  const keys = [
    ...Object.keys(fieldsAt(selector, 'matchLabels')),
    ...listAt(selector, 'matchExpressions').map((expression) => textAt(expression, 'key')),
  ];
  if (keys.every((key) => generated.test(key))) return [];
  return [invalidField('spec.selector', selector, '`selector` not auto-generated', 'remove it')];
}

const generated = /^(?:batch\.kubernetes\.io\/)?(?:controller-uid|job-name)$/;

function scheduleCauses(schedule: string, timeZone: string): Cause[] {
  const wrongZone = timeZone !== '' && !isTimeZone(timeZone);
  return [
    ...(schedule !== '' && !isCronSchedule(schedule)
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
