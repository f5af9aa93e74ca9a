import { describe, expect, it } from 'vitest';
import { type Fields, findings } from '../placement-rules/findings.ts';

const objectOf = (kind: string, spec: Fields, name = 'one') => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind,
  metadata: { name },
  spec,
});
const strategy = (...stages: readonly Fields[]) => objectOf('UpdateStrategy', { strategy: { stages } });
const stage = (more: Fields = {}) => ({ name: 'test', groups: [{ name: 'x' }], ...more });
const update = (upgrade: Fields, images?: Fields) => ({
  managedClusterUpdate: { upgrade, ...(images && { nodeImageSelection: images }) },
});
const full = update({ type: 'Full', kubernetesVersion: '1.31.5' });
const run = (spec: Fields = {}, name = 'one') => objectOf('UpdateRun', { ...full, ...spec }, name);
const custom = (...versions: readonly string[]) =>
  run(
    update(
      { type: 'NodeImageOnly' },
      { type: 'Custom', customNodeImageVersions: versions.map((version) => ({ version })) },
    ),
  );
const start = (more: Fields = {}) => ({
  type: 'ScheduledStart',
  scheduledStartConfiguration: { startDay: 'Saturday', startTime: '02:00', utcOffset: '+09:00', ...more },
});
const inStage = (code: string, path: string, severity = 'error') => [
  `${severity} ${code} spec.strategy.stages.${path}`,
];
const image = 'AKSUbuntu-2204gen2containerd-202601.27.0';

describe('an UpdateStrategy', () => {
  it.each<[string, object, string[]]>([
    ['of one stage', strategy(stage()), []],
    ['that selects by labels', strategy({ name: 'a', memberSelector: { byLabel: 'env=prod,!canary' } }), []],
    ['with limits', strategy(stage({ maxConcurrency: '25%', maxAllowedFailures: '0%' })), []],
    [
      'with gates',
      strategy(stage({ beforeGates: [start(), { type: 'Approval' }], afterGates: [{ type: 'Approval' }] })),
      [],
    ],
    ['without stages', strategy(), ['error out-of-range spec.strategy.stages']],
    [
      'with two stages of one name',
      strategy(stage(), stage({ groups: [{ name: 'y' }] })),
      inStage('duplicate', '1.name'),
    ],
    [
      'with two groups of one name',
      strategy(stage(), { name: 'b', groups: [{ name: 'x' }] }),
      inStage('duplicate', '1.groups.0.name'),
    ],
    [
      'with a group called as a stage that has no groups',
      strategy({ name: 'x', memberSelector: { byLabel: 'env' } }, stage()),
      inStage('duplicate', '1.groups.0.name'),
    ],
    ['with a stage of nobody', strategy({ name: 'a' }), inStage('field-required', '0')],
    ['with too long a name', strategy(stage({ name: 'a'.repeat(51) })), inStage('invalid-name', '0.name')],
    [
      'of no concurrency',
      strategy(stage({ maxConcurrency: '0' })),
      inStage('invalid-int-or-percent', '0.maxConcurrency'),
    ],
    [
      'of concurrency 0%',
      strategy(stage({ maxConcurrency: '0%' })),
      inStage('invalid-int-or-percent', '0.maxConcurrency'),
    ],
    [
      'with more failures than all',
      strategy(stage({ maxAllowedFailures: '101%' })),
      inStage('invalid-int-or-percent', '0.maxAllowedFailures'),
    ],
    [
      'of more than 50 at once',
      strategy(stage({ maxConcurrency: '51' })),
      inStage('out-of-range', '0.maxConcurrency', 'warning'),
    ],
    [
      'with a group above its stage',
      strategy(stage({ maxConcurrency: '2', groups: [{ name: 'x', maxConcurrency: '3' }] })),
      inStage('out-of-range', '0.groups.0.maxConcurrency', 'warning'),
    ],
    [
      'with a scheduled start at the end',
      strategy(stage({ afterGates: [start()] })),
      inStage('field-not-allowed', '0.afterGates.0.type'),
    ],
    [
      'with a start that is not scheduled',
      strategy(stage({ beforeGates: [{ type: 'ScheduledStart' }] })),
      inStage('field-required', '0.beforeGates.0.scheduledStartConfiguration'),
    ],
    [
      'with an approval at a time',
      strategy(stage({ beforeGates: [{ ...start(), type: 'Approval' }] })),
      inStage('field-not-allowed', '0.beforeGates.0.scheduledStartConfiguration'),
    ],
    [
      'with a start 14:30 from UTC',
      strategy(stage({ beforeGates: [start({ utcOffset: '+14:30' })] })),
      inStage('invalid-value', '0.beforeGates.0.scheduledStartConfiguration.utcOffset'),
    ],
    [
      'with a start at 24:00',
      strategy(stage({ beforeGates: [start({ startTime: '24:00' })] })),
      inStage('invalid-value', '0.beforeGates.0.scheduledStartConfiguration.startTime'),
    ],
  ])('%s', (_, document, expected) => {
    expect(findings(document)).toEqual(expected);
  });

  it.each([
    'env=prod',
    'env == prod',
    'env!=prod',
    'env in (a, b),region notin (c)',
    'env',
    '!env',
    'example.com/env=',
    'a=1,b',
  ])('selects by %s', (byLabel) => {
    expect(findings(strategy({ name: 'a', memberSelector: { byLabel } }))).toEqual([]);
  });

  it.each([
    '',
    ',',
    'env=prod,',
    'env in (a) prod',
    'env in a',
    'a=b=c',
    '-env=prod',
    'env=-x',
    'a/b/c',
    'env in (a,(b))',
    'x>1',
  ])('does not select by "%s"', (byLabel) => {
    expect(findings(strategy({ name: 'a', memberSelector: { byLabel } }))).toEqual(
      inStage('invalid-selector', '0.memberSelector.byLabel'),
    );
  });
});

const inUpdate = (code: string, path: string) => [`error ${code} spec.managedClusterUpdate.${path}`];

describe('an UpdateRun', () => {
  it.each<[string, object, string[]]>([
    ['to a patch', run(), []],
    ['to a minor', run(update({ type: 'ControlPlaneOnly', kubernetesVersion: 'V1.31' })), []],
    ['of node images', run(update({ type: 'NodeImageOnly' })), []],
    ['of listed images', custom(image, 'AKSWindows-2022-containerd-20348.3207.250214'), []],
    ['named too long', run({}, 'a'.repeat(51)), ['error invalid-name metadata.name']],
    [
      'with two strategies',
      run({ updateStrategyId: 'a', strategy: { stages: [stage()] } }),
      ['error exclusive-fields spec.strategy'],
    ],
    ['without a version', run(update({ type: 'Full' })), inUpdate('field-required', 'upgrade.kubernetesVersion')],
    [
      'to a version that is none',
      run(update({ type: 'Full', kubernetesVersion: '1.31.5-rc.1' })),
      inUpdate('invalid-value', 'upgrade.kubernetesVersion'),
    ],
    [
      'of node images to a version',
      run(update({ type: 'NodeImageOnly', kubernetesVersion: '1.31' })),
      inUpdate('field-not-allowed', 'upgrade.kubernetesVersion'),
    ],
    ['of no listed image', custom(), inUpdate('field-required', 'nodeImageSelection.customNodeImageVersions')],
    [
      'of two images of a family',
      custom(image, 'AKSUbuntu-2204gen2containerd-202601.13.0'),
      inUpdate('duplicate', 'nodeImageSelection.customNodeImageVersions.1.version'),
    ],
    [
      'of the latest images with a list',
      run(update({ type: 'NodeImageOnly' }, { type: 'Latest', customNodeImageVersions: [{ version: image }] })),
      inUpdate('field-not-allowed', 'nodeImageSelection.customNodeImageVersions'),
    ],
    [
      'by an ARM id',
      run({ updateStrategyId: '/subscriptions/1/updateStrategies/a' }),
      ['info old-spelling spec.updateStrategyId'],
    ],
    [
      'of the control plane with images',
      run(update({ type: 'ControlPlaneOnly', kubernetesVersion: '1.31' }, { type: 'Consistent' })),
      ['warning no-use spec.managedClusterUpdate.nodeImageSelection.type'],
    ],
    [
      'of node images by minors',
      run({ ...update({ type: 'NodeImageOnly' }), chainMinors: true }),
      ['warning no-use spec.chainMinors'],
    ],
    ['with an attempt 0', run({ attempt: 0 }), ['error out-of-range spec.attempt']],
    ['with a field that is none', run({ started: true }), ['error unknown-field spec.started']],
  ])('%s', (_, document, expected) => {
    expect(findings(document)).toEqual(expected);
  });
});

describe('a Gate', () => {
  const gate = (of: object, target: object = { stage: 'prod' }, id?: string) => ({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'Gate',
    metadata: { name: 'k8s-before-prod' },
    spec: {
      gateType: 'Approval',
      target: { ...(id && { id }), updateRunProperties: { name: 'k8s', timing: 'Before', ...target } },
      ...of,
    },
  });
  it.each<[string, object, string[]]>([
    ['that approves', gate({ state: 'Completed' }), []],
    ['that rejects', gate({ state: 'Rejected' }, { group: 'eu' }, '/subscriptions/1/updateRuns/k8s'), []],
    ['of no scope', gate({}, {}), ['error field-required spec.target.updateRunProperties']],
    ['that is skipped', gate({ state: 'Skipped' }), ['error invalid-value spec.state']],
    ['with the id of another run', gate({}, { stage: 'prod' }, 'other'), ['error invalid-value spec.target.id']],
  ])('%s', (_, document, expected) => {
    expect(findings(document)).toEqual(expected);
  });
});
