import { error, type Issue, warning } from '../../../api/issue.ts';
import { durationMs } from '../../../api/longest-duration.ts';
import {
  allowWindowsAnnotation,
  expiryAnnotation,
  nodeDisruptionAnnotation,
} from '../../../api/nodes/disruption-modes.ts';
import type { NodeClaim, NodePool } from '../../../api/nodes/node-pool.ts';
import { isNodeDuration } from '../../../api/nodes/pool-ranges.ts';
import { parseQuantity } from '../../../api/quantity.ts';
import { isLabelValue, isQualifiedName, labelKeyFix, labelValueFix, nearest } from '../../../api/syntax.ts';
import { parseCron } from '../../../engine/kernel/cron.ts';
import { zeroBudgets } from '../../../engine/node-pools/allow-windows.ts';
import { budgetDurationMs } from '../../../engine/node-pools/budget-window.ts';

type Path = Issue['path'];
type NodeSpec = NodeClaim['spec'];
const templatePath: Path = ['spec', 'template', 'spec'];

/** What Karpenter's admission refuses of a NodePool, and what it lets through and fails on later. */
export function nodePoolIssues(pool: NodePool): Issue[] {
  const issues = [
    ...versionIssues(pool),
    ...expiryIssues(pool),
    ...templateIssues(pool),
    ...disruptionIssues(pool),
    ...staticIssues(pool),
    ...limitIssues(pool),
    ...allowWindowIssues(pool),
    ...expiryAnnotationIssues(pool),
    ...unreadAnnotations(pool),
  ];
  // A pool of v1beta1 is delivered as it is: its own fields are right there.
  return pool.apiVersion === 'karpenter.sh/v1' ? issues : issues.filter((issue) => !isConversion(issue));
}

const isConversion = ({ severity, code, path }: Issue): boolean =>
  severity === 'warning' && code === 'v1beta1-field' && path.length > 1 && path.at(-1) !== 'expireAfter';

const versionIssues = ({ apiVersion }: NodePool): Issue[] =>
  apiVersion === 'karpenter.sh/v1'
    ? []
    : [
        warning(
          'v1beta1-field',
          ['apiVersion'],
          `it is delivered as it is, and Karpenter 1.1 and newer do not serve ${apiVersion}`,
          'write karpenter.sh/v1, also as the version of the resource selector',
        ),
      ];

function expiryIssues({ apiVersion, spec: { template, disruption } }: NodePool): Issue[] {
  const [own, old] = [template.spec.expireAfter, disruption?.expireAfter];
  const [ownPath, oldPath] = [
    [...templatePath, 'expireAfter'],
    ['spec', 'disruption', 'expireAfter'],
  ];
  const wrong = [...orNeverIssues(own, ownPath), ...orNeverIssues(old, oldPath)];
  if (wrong.length > 0 || old === undefined) return wrong;
  if (own !== undefined && lifetimeOf(own) !== lifetimeOf(old))
    return [
      error(
        'exclusive-fields',
        oldPath,
        `expireAfter is ${old} here and ${own} under spec.template.spec`,
        'keep the one under spec.template.spec',
      ),
    ];
  const isMoved = apiVersion === 'karpenter.sh/v1' ? 'it is delivered under spec.template.spec, and ' : '';
  return [
    warning(
      'v1beta1-field',
      oldPath,
      own === undefined
        ? `expireAfter stands where karpenter.sh/v1beta1 has it: ${isMoved}where gitfleet acts (mode execute) nodes expire gracefully, within budgets`
        : 'expireAfter stands where karpenter.sh/v1beta1 has it, too',
      'write it under spec.template.spec',
    ),
  ];
}

const lifetimeOf = (text: string): number | string => (text === 'Never' ? text : durationMs(text));

function orNeverIssues(text: string | undefined, path: Path): Issue[] {
  if (text === undefined || text === 'Never' || isNodeDuration(text)) return [];
  const fix = unitFix(text, ['s', 'm', 'h']) ?? 'write for example 720h, or Never';
  return [error('invalid-duration', path, `"${text}" is not a duration`, fix)];
}

/** A number without a unit. */
const unitFix = (text: string, units: readonly string[]): string | undefined =>
  /^[0-9]+$/.test(text) ? `write ${units.map((unit) => `${text}${unit}`).join(' or ')}` : undefined;

/** What Karpenter's admission refuses of a NodeClaim. */
export const nodeClaimIssues = ({ spec }: NodeClaim): Issue[] => [
  ...orNeverIssues(spec.expireAfter, ['spec', 'expireAfter']),
  ...nodeIssues(spec, ['spec']),
];

/** Of the fields that a NodeClaim and the template of a NodePool have in common, but for expireAfter. */
function nodeIssues(spec: NodeSpec, path: Path): Issue[] {
  const grace = spec.terminationGracePeriod;
  return [
    ...spec.requirements.flatMap((one, at) => requirementIssues(one, [...path, 'requirements', at])),
    ...taintIssues(spec, path),
    ...classIssues(spec, [...path, 'nodeClassRef']),
    ...(grace === undefined || isNodeDuration(grace)
      ? []
      : [
          error(
            'invalid-duration',
            [...path, 'terminationGracePeriod'],
            `"${grace}" is not a duration`,
            unitFix(grace, ['s', 'm', 'h']) ?? 'write for example 24h, or leave it out to wait for ever',
          ),
        ]),
  ];
}

function templateIssues({ spec: { template } }: NodePool): Issue[] {
  const { spec } = template;
  return [
    ...labelIssues(template.metadata?.labels ?? {}),
    ...nodeIssues(spec, templatePath),
    ...(spec.kubelet === undefined
      ? []
      : [
          error(
            'v1beta1-field',
            [...templatePath, 'kubelet'],
            'kubelet is a field of karpenter.sh/v1beta1',
            'write it into the node class, under spec.kubelet of AKSNodeClass',
          ),
        ]),
  ];
}

/** Labels of the domain karpenter.sh that a template may set. */
const wellKnown: ReadonlySet<string> = new Set(['karpenter.sh/capacity-type']);

function labelIssues(labels: Readonly<Record<string, string>>): Issue[] {
  return Object.entries(labels).flatMap(([key, value]): Issue[] => {
    const path = ['spec', 'template', 'metadata', 'labels', key];
    if (!isQualifiedName(key)) return [error('invalid-label', path, `${key} is not a label key`, labelKeyFix)];
    if (!isLabelValue(value)) return [error('invalid-label', path, `"${value}" is not a label value`, labelValueFix)];
    return restricted(key) ? [error('invalid-label', path, `Karpenter sets ${key} itself`, `remove ${key}`)] : [];
  });
}

function restricted(key: string): boolean {
  const domain = key.includes('/') ? key.split('/')[0]! : '';
  const isKarpenters = domain === 'karpenter.sh' || domain.endsWith('.karpenter.sh');
  return key === 'kubernetes.io/hostname' || (isKarpenters && !wellKnown.has(key));
}

function requirementIssues(
  { key, operator, values = [], minValues }: NodeSpec['requirements'][number],
  path: Path,
): Issue[] {
  const issues: Issue[] = [];
  const refuse = (field: string, message: string, fix: string) =>
    issues.push(error('invalid-selector', [...path, field], message, fix));
  if (!isQualifiedName(key))
    issues.push(error('invalid-label', [...path, 'key'], `${key} is not a label key`, labelKeyFix));
  else if (restricted(key)) refuse('key', `Karpenter sets ${key} itself`, 'remove this requirement');
  if (operator === 'In' && values.length === 0) refuse('values', 'In needs values', 'add values, or use Exists');
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
    issues.push(
      warning('no-use', [...path, 'values'], `${operator} has no use for values`, 'remove values, or use In'),
    );
  if (['Gt', 'Lt', 'Gte', 'Lte'].includes(operator) && !(values.length === 1 && /^\d+$/.test(values[0]!)))
    refuse('values', `${operator} needs one whole number`, 'write for example values: ["4"]');
  values.forEach((value, index) => {
    if (!isLabelValue(value))
      issues.push(error('invalid-label', [...path, 'values', index], `"${value}" is not a label value`, labelValueFix));
  });
  if (operator === 'In' && minValues !== undefined && values.length < minValues)
    refuse('minValues', `it lists ${values.length} values, fewer than minValues`, `write at most ${values.length}`);
  if (key === 'karpenter.sh/capacity-type' && operator === 'In') issues.push(...capacityIssues(values, path));
  return issues;
}

const knownCapacity: ReadonlySet<string> = new Set(['on-demand', 'spot', 'reserved']);

function capacityIssues(values: readonly string[], path: Path): Issue[] {
  const unknown = values.filter((value) => !knownCapacity.has(value));
  if (unknown.length === 0) return [];
  const message = `there is no capacity type ${unknown.join(', ')}`;
  const fix = 'write on-demand, spot or reserved';
  return [
    unknown.length === values.length
      ? error('invalid-value', [...path, 'values'], message, fix)
      : warning('invalid-value', [...path, 'values'], `${message}: Karpenter ignores it`, fix),
  ];
}

function taintIssues({ taints = [], startupTaints = [] }: NodeSpec, own: Path): Issue[] {
  const seen = new Set<string>();
  const ofList = (list: typeof taints, field: string): Issue[] =>
    list.flatMap(({ key, value = '', effect }, at) => {
      const path = [...own, field, at];
      if (!isQualifiedName(key))
        return [error('invalid-label', [...path, 'key'], `"${key}" is not a taint key`, labelKeyFix)];
      if (!isLabelValue(value))
        return [error('invalid-label', [...path, 'value'], `"${value}" is not a taint value`, labelValueFix)];
      const text = `${key}:${effect}`;
      const isTwice = seen.has(text);
      seen.add(text);
      return isTwice
        ? [error('duplicate', path, `the taint ${text} is listed twice`, 'keep one of them, in either list')]
        : [];
    });
  return [...ofList(taints, 'taints'), ...ofList(startupTaints, 'startupTaints')];
}

function classIssues({ nodeClassRef: { group, apiVersion } }: NodeSpec, path: Path): Issue[] {
  if (apiVersion !== undefined && group === undefined)
    return [
      warning(
        'v1beta1-field',
        [...path, 'apiVersion'],
        'apiVersion is a field of karpenter.sh/v1beta1: it is delivered as group',
        `write group: ${apiVersion.split('/')[0]}`,
      ),
    ];
  if (apiVersion !== undefined)
    return [error('exclusive-fields', [...path, 'apiVersion'], 'it has group and apiVersion', 'remove apiVersion')];
  if (group === undefined || group === '')
    return [error('field-required', path, 'group is missing', 'add for example group: karpenter.azure.com')];
  return group.includes('/')
    ? [error('invalid-value', [...path, 'group'], `"${group}" has a version`, `write ${group.split('/')[0]}`)]
    : [];
}

function disruptionIssues({ spec: { disruption }, metadata }: NodePool): Issue[] {
  if (disruption === undefined) return [];
  const path: Path = ['spec', 'disruption'];
  return [
    ...(disruption.consolidationPolicy === 'WhenUnderutilized'
      ? [
          warning(
            'v1beta1-field',
            [...path, 'consolidationPolicy'],
            'WhenUnderutilized is the name of karpenter.sh/v1beta1: it is delivered as WhenEmptyOrUnderutilized',
            'write WhenEmptyOrUnderutilized',
          ),
        ]
      : []),
    ...orNeverIssues(disruption.consolidateAfter, [...path, 'consolidateAfter']),
    ...(disruption.budgets ?? []).flatMap((budget, at) =>
      budgetIssues(budget, [...path, 'budgets', at], metadata.name),
    ),
  ];
}

type Budget = NonNullable<NonNullable<NodePool['spec']['disruption']>['budgets']>[number];

function budgetIssues({ nodes, schedule, duration, reasons = [] }: Budget, path: Path, pool: string): Issue[] {
  const stops = `where no earlier version is in place, no node of pool ${pool} may be disrupted until it is fixed`;
  const issues: Issue[] = [];
  if (!/^((100|[0-9]{1,2})%|[0-9]+)$/.test(nodes))
    issues.push(
      error(
        'invalid-int-or-percent',
        [...path, 'nodes'],
        `"${nodes}" is neither a number nor a percentage: ${stops}`,
        'write for example "10%" or "5"',
      ),
    );
  if ((schedule === undefined) !== (duration === undefined))
    issues.push(
      error(
        'field-required',
        path,
        "'schedule' must be set with 'duration'",
        schedule === undefined ? 'add schedule, or remove duration' : 'add duration, or remove schedule',
      ),
    );
  if (schedule !== undefined && parseCron(schedule) === undefined)
    issues.push(
      error(
        'invalid-value',
        [...path, 'schedule'],
        `"${schedule}" is not a cron schedule: ${stops}`,
        'write five fields, minute hour day-of-month month day-of-week: `0 9 * * 1-5`, or @daily and the like',
      ),
    );
  if (duration !== undefined && budgetDurationMs(duration) === undefined)
    issues.push(
      error(
        'invalid-duration',
        [...path, 'duration'],
        `"${duration}" is not a duration of hours and minutes`,
        unitFix(duration, ['m', 'h']) ?? 'write for example 8h, 90m or 10h5m',
      ),
    );
  const twice = reasons.find((reason, at) => reasons.indexOf(reason) < at);
  if (twice !== undefined)
    issues.push(error('duplicate', [...path, 'reasons'], `the reason ${twice} is listed twice`, 'keep one of them'));
  return issues;
}

function staticIssues({ spec: { replicas, weight, limits } }: NodePool): Issue[] {
  if (replicas === undefined) return [];
  const others = Object.keys(limits ?? {}).filter((name) => name !== 'nodes');
  return [
    ...(weight === undefined
      ? []
      : [error('exclusive-fields', ['spec', 'weight'], 'a static pool (replicas) has no weight', 'remove weight')]),
    ...others.map((name) =>
      error(
        'field-not-allowed',
        ['spec', 'limits', name],
        'a static pool (replicas) is limited by nodes only',
        `remove ${name}`,
      ),
    ),
  ];
}

const limitIssues = ({ spec: { limits = {} } }: NodePool): Issue[] =>
  Object.entries(limits).flatMap(([name, value]) =>
    parseQuantity(String(value)) === undefined
      ? [
          error(
            'invalid-quantity',
            ['spec', 'limits', name],
            `"${value}" is not a quantity`,
            'write for example "100" or 64Gi',
          ),
        ]
      : [],
  );

function expiryAnnotationIssues({ metadata }: NodePool): Issue[] {
  const written = metadata.annotations?.[expiryAnnotation];
  return written === undefined || written === 'graceful'
    ? []
    : [
        error(
          'invalid-value',
          ['metadata', 'annotations', expiryAnnotation],
          `${expiryAnnotation} ${JSON.stringify(written)} is no way to expire`,
          'write graceful, or leave it out',
        ),
      ];
}

const ownAnnotations: readonly string[] = [allowWindowsAnnotation, expiryAnnotation];

/** Annotations of gitfleet that nothing reads: misspelt, or of a member. */
const unreadAnnotations = ({ metadata }: NodePool): Issue[] =>
  Object.keys(metadata.annotations ?? {}).flatMap((key): Issue[] => {
    const isOfMember = key === nodeDisruptionAnnotation;
    const like = ownAnnotations.includes(key) ? undefined : nearest(key, ownAnnotations);
    if (!isOfMember && like === undefined) return [];
    const fix = isOfMember ? 'move it to the MemberCluster of each cluster' : `did you mean ${like}?`;
    const path = ['metadata', 'annotations', key];
    return [warning('unknown-annotation', path, `nothing reads ${key} of a NodePool`, fix)];
  });

function allowWindowIssues({ metadata, spec }: NodePool): Issue[] {
  const written = metadata.annotations?.[allowWindowsAnnotation];
  if (written === undefined) return [];
  const path = ['metadata', 'annotations', allowWindowsAnnotation];
  const zero = zeroBudgets(written);
  if (!zero.ok)
    return [
      error(
        'invalid-value',
        path,
        `${allowWindowsAnnotation}: ${zero.fault}`,
        'write for example [{"schedule": "0 22 * * *", "duration": "6h"}], with windows that recur every week',
      ),
    ];
  const count = zero.budgets.length + (spec.disruption?.budgets?.length ?? 1);
  return count <= 50
    ? []
    : [
        error(
          'out-of-range',
          path,
          `with the windows the pool has ${count} budgets, more than 50`,
          'write fewer windows or budgets',
        ),
      ];
}
