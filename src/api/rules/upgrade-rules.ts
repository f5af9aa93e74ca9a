import { error, type Issue, info, warning } from '../issue.ts';
import { parseNodeImage } from '../node-image.ts';
import { parseSelector } from '../selector-text.ts';
import type { UpgradeGate } from '../upgrade-gate.ts';
import type { UpdateRun } from '../upgrade-run.ts';
import type {
  GateConfiguration,
  UpdateStrategy,
  UpgradeGroup,
  UpgradeStage,
  UpgradeStages,
} from '../upgrade-strategy.ts';

type Path = Issue['path'];

/** Names of runs, strategies, profiles, stages and groups (AKS Fleet). */
export function upgradeNameIssues(name: string, path: Path): Issue[] {
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) && name.length <= 50) return [];
  const fix = 'use at most 50 lower-case letters, digits and -, beginning and ending with a letter or digit';
  return [error('invalid-name', path, `"${name}" is not a name that AKS Fleet accepts`, fix)];
}

export const updateStrategyIssues = ({ metadata, spec }: UpdateStrategy): Issue[] => [
  ...upgradeNameIssues(metadata.name, ['metadata', 'name']),
  ...stagesIssues(spec.strategy, ['spec', 'strategy', 'stages']),
];

function stagesIssues({ stages }: UpgradeStages, path: Path): Issue[] {
  const groups = new Set<string>();
  return stages.flatMap((stage, at) => {
    const here = [...path, at];
    return [
      ...duplicate(
        stages.findIndex(({ name }) => name === stage.name) < at,
        `two stages are called ${stage.name}`,
        here,
      ),
      ...scopeIssues(stage, here),
      ...stageLimitIssues(stage, here),
      ...implicitGroup(stage, groups, here),
      ...(stage.groups?.length || stage.memberSelector
        ? []
        : [error('field-required', here, 'a stage needs groups or a memberSelector', 'add groups or memberSelector')]),
      ...(stage.groups ?? []).flatMap((group, index) => {
        const there = [...here, 'groups', index];
        const isTwice = groups.has(group.name);
        groups.add(group.name);
        return [
          ...duplicate(isTwice, `two groups are called ${group.name}`, there),
          ...scopeIssues(group, there),
          ...groupLimitIssues(group, stage, there),
        ];
      }),
    ];
  });
}

/** A stage without groups is one group of its own name. */
function implicitGroup({ name, groups: own }: UpgradeStage, groups: Set<string>, path: Path): Issue[] {
  if (own?.length) return [];
  const isTwice = groups.has(name);
  groups.add(name);
  return duplicate(isTwice, `the stage is a group ${name} too, and another group is called so`, path);
}

const duplicate = (isTwice: boolean, message: string, path: Path): Issue[] =>
  isTwice
    ? [error('duplicate', [...path, 'name'], `${message}: names are unique in a run`, 'give each a name of its own')]
    : [];

function scopeIssues(scope: UpgradeStage | UpgradeGroup, path: Path): Issue[] {
  const { name, memberSelector, maxConcurrency, maxAllowedFailures, beforeGates = [], afterGates = [] } = scope;
  return [
    ...upgradeNameIssues(name, [...path, 'name']),
    ...(memberSelector ? memberSelectorIssues(memberSelector, [...path, 'memberSelector']) : []),
    ...amountIssues(maxConcurrency, [...path, 'maxConcurrency'], /^(?:([1-9]\d*)|([1-9]\d?|100)%)$/, '1 or 25%'),
    ...amountIssues(
      maxAllowedFailures,
      [...path, 'maxAllowedFailures'],
      /^(?:0|[1-9]\d*|(?:0|[1-9]\d?|100)%)$/,
      '0, 1 or 25%',
    ),
    ...beforeGates.flatMap((gate, at) => gateIssues(gate, [...path, 'beforeGates', at], 'before')),
    ...afterGates.flatMap((gate, at) => gateIssues(gate, [...path, 'afterGates', at], 'after')),
  ];
}

/** A selector in Kubernetes' text form. */
export function memberSelectorIssues({ byLabel }: { readonly byLabel: string }, path: Path): Issue[] {
  const parsed = parseSelector(byLabel);
  if (parsed.ok) return [];
  const message = `"${parsed.part}" is not part of a label selector`;
  return [
    error('invalid-selector', [...path, 'byLabel'], message, 'write for example env=prod,region in (eu, us),!canary'),
  ];
}

function amountIssues(value: string | undefined, path: Path, pattern: RegExp, example: string): Issue[] {
  if (value === undefined || pattern.test(value)) return [];
  const message = `"${value}" is not an allowed number or percentage`;
  return [error('invalid-int-or-percent', path, message, `write for example ${example}`)];
}

/** AKS Fleet updates at most this many members of a stage at once. */
const mostInStage = 50;

function stageLimitIssues({ maxConcurrency }: UpgradeStage, path: Path): Issue[] {
  const count = countOf(maxConcurrency);
  return count > mostInStage ? [clamped(path, `a stage updates at most ${mostInStage} members at once`)] : [];
}

function groupLimitIssues({ maxConcurrency }: UpgradeGroup, stage: UpgradeStage, path: Path): Issue[] {
  const most = Math.min(mostInStage, countOf(stage.maxConcurrency ?? String(mostInStage)) || mostInStage);
  return countOf(maxConcurrency) > most
    ? [clamped(path, `stage ${stage.name} updates at most ${most} members at once, in all of its groups together`)]
    : [];
}

/** 0 where it depends on how many members there are. */
const countOf = (value: string | undefined): number => (/^\d+$/.test(value ?? '') ? Number(value) : 0);

const clamped = (path: Path, message: string): Issue =>
  warning('out-of-range', [...path, 'maxConcurrency'], message, 'write at most that, or a percentage');

function gateIssues(gate: GateConfiguration, path: Path, timing: 'before' | 'after'): Issue[] {
  const { type, scheduledStartConfiguration: start } = gate;
  const there = [...path, 'scheduledStartConfiguration'];
  if (type === 'Approval')
    return start === undefined
      ? []
      : [
          error(
            'field-not-allowed',
            there,
            'an Approval has no scheduled start',
            'remove it, or use type: ScheduledStart',
          ),
        ];
  if (timing === 'after')
    return [
      error(
        'field-not-allowed',
        [...path, 'type'],
        'a ScheduledStart stands only in beforeGates',
        'move it, or use type: Approval',
      ),
    ];
  if (start === undefined)
    return [
      error(
        'field-required',
        there,
        'a ScheduledStart needs startDay, startTime and utcOffset',
        'add scheduledStartConfiguration',
      ),
    ];
  return [
    ...(/^([01]\d|2[0-3]):[0-5]\d$/.test(start.startTime)
      ? []
      : [
          error(
            'invalid-value',
            [...there, 'startTime'],
            `"${start.startTime}" is not a time`,
            'write for example "02:00"',
          ),
        ]),
    ...(/^[+-]((0\d|1[0-3]):[0-5]\d|14:00)$/.test(start.utcOffset)
      ? []
      : [
          error(
            'invalid-value',
            [...there, 'utcOffset'],
            `"${start.utcOffset}" is not an offset`,
            'write for example "+09:00"',
          ),
        ]),
  ];
}

export function updateRunIssues({ metadata, spec }: UpdateRun): Issue[] {
  const { strategy, updateStrategyId } = spec;
  return [
    ...upgradeNameIssues(metadata.name, ['metadata', 'name']),
    ...(strategy && updateStrategyId !== undefined
      ? [
          error(
            'exclusive-fields',
            ['spec', 'strategy'],
            'a run has a strategy or names one, not both',
            'remove one of them',
          ),
        ]
      : []),
    ...(strategy ? stagesIssues(strategy, ['spec', 'strategy', 'stages']) : []),
    ...updateIssues(spec.managedClusterUpdate),
    ...(spec.chainMinors && spec.managedClusterUpdate.upgrade.type === 'NodeImageOnly'
      ? [
          warning(
            'no-use',
            ['spec', 'chainMinors'],
            'NodeImageOnly leaves Kubernetes versions as they are',
            'remove it',
          ),
        ]
      : []),
    ...(/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(spec.progressDeadline)
      ? []
      : [
          error(
            'invalid-duration',
            ['spec', 'progressDeadline'],
            `"${spec.progressDeadline}" is not a duration`,
            'write for example 4h0m0s, or 0s for none',
          ),
        ]),
  ];
}

function updateIssues({ upgrade, nodeImageSelection }: UpdateRun['spec']['managedClusterUpdate']): Issue[] {
  const path = ['spec', 'managedClusterUpdate'];
  return [
    ...versionIssues(upgrade, [...path, 'upgrade', 'kubernetesVersion']),
    ...imageIssues(nodeImageSelection, [...path, 'nodeImageSelection', 'customNodeImageVersions']),
    ...(upgrade.type === 'ControlPlaneOnly' && (nodeImageSelection?.type ?? 'Latest') !== 'Latest'
      ? [
          warning(
            'no-use',
            [...path, 'nodeImageSelection', 'type'],
            'ControlPlaneOnly leaves node images as they are',
            'remove it, or use type: Full',
          ),
        ]
      : []),
  ];
}

function versionIssues(
  { type, kubernetesVersion: version }: UpdateRun['spec']['managedClusterUpdate']['upgrade'],
  path: Path,
): Issue[] {
  if (type === 'NodeImageOnly')
    return version === undefined
      ? []
      : [
          error(
            'field-not-allowed',
            path,
            'NodeImageOnly leaves Kubernetes versions as they are',
            'remove it, or use type: Full',
          ),
        ];
  if (version === undefined)
    return [error('field-required', path, `${type} needs a kubernetesVersion`, 'write for example 1.31 or 1.31.5')];
  return /^[vV]?\d+\.\d+(\.\d+)?$/.test(version)
    ? []
    : [error('invalid-value', path, `"${version}" is not a Kubernetes version`, 'write for example 1.31 or 1.31.5')];
}

function imageIssues(selection: UpdateRun['spec']['managedClusterUpdate']['nodeImageSelection'], path: Path): Issue[] {
  const { type = 'Latest', customNodeImageVersions: images = [] } = selection ?? {};
  if (type !== 'Custom')
    return images.length === 0
      ? []
      : [error('field-not-allowed', path, `${type} chooses the images itself`, 'remove the list, or use type: Custom')];
  if (images.length === 0)
    return [error('field-required', path, 'Custom needs a list of images', 'add one image for each family')];
  const families = images.map(({ version }) => parseNodeImage(version)?.family);
  return families.flatMap((family, at) => [
    ...(family === undefined
      ? [
          error(
            'invalid-value',
            [...path, at, 'version'],
            `"${images[at]!.version}" is not a node image`,
            'write for example AKSUbuntu-2204gen2containerd-202601.27.0',
          ),
        ]
      : []),
    ...(family !== undefined && families.indexOf(family) < at
      ? [
          error(
            'duplicate',
            [...path, at, 'version'],
            `family ${family} has two images`,
            'keep one image for each family',
          ),
        ]
      : []),
  ]);
}

/** Names in these fields: of an ARM id the last segment counts. */
export function withPlainNames<T extends { readonly spec: object }>(
  object: T,
  fields: readonly (keyof T['spec'] & string)[],
): { readonly object: T; readonly issues: readonly Issue[] } {
  const ids = fields.flatMap((field) => {
    const id: unknown = (object.spec as T['spec'])[field];
    return typeof id === 'string' && id.includes('/') ? [{ field, name: id.split('/').at(-1)! }] : [];
  });
  if (ids.length === 0) return { object, issues: [] };
  const issues = ids.map(({ field, name }) =>
    info('old-spelling', ['spec', field], `this is an ARM id: its last segment, ${name}, is the name`),
  );
  const names = Object.fromEntries(ids.map(({ field, name }) => [field, name]));
  return { object: { ...object, spec: { ...object.spec, ...names } }, issues };
}

export function upgradeGateIssues({ spec }: UpgradeGate): Issue[] {
  const { id, updateRunProperties } = spec.target;
  const { name, stage, group } = updateRunProperties;
  const path = ['spec', 'target'];
  return [
    ...(stage === undefined && group === undefined
      ? [
          error(
            'field-required',
            [...path, 'updateRunProperties'],
            'a gate is that of a stage or of a group',
            'add stage or group',
          ),
        ]
      : []),
    ...(id === undefined || id.split('/').at(-1) === name
      ? []
      : [error('invalid-value', [...path, 'id'], `the gate is of run ${name}, and this names another`, 'remove it')]),
    ...(spec.state === 'Skipped'
      ? [
          error(
            'invalid-value',
            ['spec', 'state'],
            'a gate cannot be skipped alone',
            'write Completed or Rejected, or skip its stage or group in the run',
          ),
        ]
      : []),
  ];
}
