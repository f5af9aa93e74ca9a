import type { Document } from '../../support/folders.ts';
import {
  app,
  deployment,
  member,
  namespace,
  type Observed,
  placementEntry,
  type Step,
  Story,
} from '../rollout/world.ts';

export const group = 'placement.kubernetes-fleet.io';

/** Canary eu-1, prod us-1 us-2 us-3; `order` falls as the names rise. */
export const fleet: Readonly<Record<string, string>> = {
  'clusters/eu-1.yaml': member('eu-1', { env: 'canary' }),
  'clusters/us-1.yaml': member('us-1', { env: 'prod', order: '10' }),
  'clusters/us-2.yaml': member('us-2', { env: 'prod', order: '9' }),
  'clusters/us-3.yaml': member('us-3', { env: 'prod', order: '-1' }),
};

export const external = (policy = '{placementType: PickAll}', strategy = '{type: External}'): string => `
apiVersion: ${group}/v1
kind: ClusterResourcePlacement
metadata: {name: web}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]
  policy: ${policy}
  strategy: ${strategy}
`;

/** A ClusterStagedUpdateStrategy; every stage is a line of flow YAML. */
export const strategy = (...stages: readonly string[]): string => `
apiVersion: ${group}/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: careful}
spec:
  stages:
${stages.map((stage) => `    - {${stage}}`).join('\n')}
`;
export const canary = 'name: canary, labelSelector: {matchLabels: {env: canary}}';
export const prod = 'name: prod, labelSelector: {matchLabels: {env: prod}}';
export const everywhere = 'name: all, labelSelector: {}';

/** A ClusterStagedUpdateRun of web; `spec` and `metadata` are flow YAML that begins with a comma. */
export const run = (name = 'web-1', spec = '', metadata = '', version = 'v1beta1'): string => `
apiVersion: ${group}/${version}
kind: ClusterStagedUpdateRun
metadata: {name: ${name}${metadata}}
spec: {placementName: web, stagedRolloutStrategyName: careful${spec}}
`;

/** A fleet whose approvals need no review, for tests of what comes after an answer. */
export const handWritten = {
  'fleet.yaml': 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {approvals: {handWritten: true}}\n',
};

/** What a person or a merged branch puts on main. */
export const approval = (
  name: string,
  stage: string,
  {
    review,
    status = 'True',
    of = 'web-1',
  }: { readonly review?: string; readonly status?: string; readonly of?: string } = {},
): string => `
apiVersion: ${group}/v1
kind: ClusterApprovalRequest
metadata:
  name: ${name}
  annotations: ${review === undefined ? '{}' : `{gitfleet.dev/review: "${review}"}`}
spec: {parentStageRollout: ${of}, targetStage: ${stage}}
status: {conditions: [{type: Approved, status: "${status}", reason: Reviewed, message: by hand}]}
`;

/** The fleet with a strategy of these stages, one run, and image web:1. */
export const staged = (
  stages: readonly string[],
  runs: Readonly<Record<string, string>> = { 'run.yaml': run() },
): Story => {
  const story = new Story({
    ...fleet,
    'web.yaml': external(),
    'strategy.yaml': strategy(...stages),
    'resources/web.yaml': app('web:1'),
    ...runs,
  });
  story.seen = {};
  return story;
};

/** A member with snapshot `index` brought about and this many of two replicas available. */
export const runs = (index: number, available = 2): Observed => ({
  placements: [placementEntry(index)],
  objects: [namespace, deployment(available)],
});

/** Every target of a step brought about and available. */
export const delivered = ({ plan }: Step): Record<string, Observed> =>
  Object.fromEntries(
    plan.targets
      .filter(({ remove }: Document) => !remove)
      .map(({ clusterName, resourceSnapshotIndex }: Document) => [clusterName, runs(resourceSnapshotIndex)]),
  );

const word = ({ type, status, reason }: Document): string => `${type}=${status}/${reason}`;
const words = (conditions: Document): string => (conditions ?? []).map(word).join(' ');

export const statusOf = ({ plan }: Step, name = 'web-1'): Document =>
  plan.runs.find((it: Document) => it.name === name)?.status;
/** `Initialized=True/… Progressing=…` of a run. */
export const runWords = (step: Step, name = 'web-1'): string => words(statusOf(step, name)?.conditions);
/** The message of one of its conditions. */
export const saidOf = (step: Step, type: string, name = 'web-1'): string =>
  statusOf(step, name).conditions.find((it: Document) => it.type === type).message;
export const stageOf = (step: Step, stage: string, name = 'web-1'): Document => {
  const { stagesStatus, deletionStageStatus } = statusOf(step, name);
  return [...stagesStatus, deletionStageStatus].find(({ stageName }) => stageName === stage);
};
export const stageWords = (step: Step, stage: string, name = 'web-1'): string =>
  words(stageOf(step, stage, name).conditions);
/** `us-1 Started Succeeded`, cluster by cluster in recorded order; what is not True is spelt out. */
export const clusters = (step: Step, stage: string, name = 'web-1'): string[] =>
  stageOf(step, stage, name).clusters.map(({ clusterName, conditions = [] }: Document) =>
    [clusterName, ...conditions.map((it: Document) => (it.status === 'True' ? it.type : word(it)))].join(' '),
  );
/** Conditions of a stage's tasks, `TimedWait: …`. */
export const tasks = (step: Step, stage: string, name = 'web-1'): string[] => {
  const { beforeStageTaskStatus = [], afterStageTaskStatus = [] } = stageOf(step, stage, name);
  return [...beforeStageTaskStatus, ...afterStageTaskStatus].map(
    ({ type, conditions }: Document) => `${type}: ${words(conditions)}`,
  );
};
/** `WaitingForApproval web-1/canary`, with cluster and end where there are any. */
export const held = ({ plan }: Step): string[] =>
  plan.holds.map(({ reason, subject: { name, stage, clusterName }, until }: Document) =>
    [reason, [name, stage, clusterName].filter(Boolean).join('/'), ...(until ? [`until ${until}`] : [])].join(' '),
  );
/** Errors and warnings as `severity file:line path`. */
export const problems = ({ plan }: Step): string[] =>
  plan.problems
    .filter(({ severity }: Document) => severity !== 'info')
    .map(({ severity, file, line, path }: Document) => [severity, `${file}:${line}`, path].filter(Boolean).join(' '));
/** `web-1-after-canary Approved=True/…`, request by request. */
export const requests = ({ plan }: Step): string[] =>
  plan.approvals.map(({ name, status }: Document) => [name, words(status.conditions)].filter(Boolean).join(' '));

export const initialized = 'Initialized=True/UpdateRunInitializedSuccessfully';
export const progressing = `${initialized} Progressing=True/UpdateRunProgressing`;
export const waiting = `${initialized} Progressing=False/UpdateRunWaiting`;
export const succeeded = `${initialized} Progressing=False/UpdateRunSucceeded Succeeded=True/UpdateRunSucceeded`;
export const failed = `${initialized} Progressing=False/UpdateRunFailed Succeeded=False/UpdateRunFailed`;
export const stageStarted = 'Progressing=True/StageUpdatingStarted';
export const stageSucceeded = 'Progressing=False/StageUpdatingSucceeded Succeeded=True/StageUpdatingSucceeded';
