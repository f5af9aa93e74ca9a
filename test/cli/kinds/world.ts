import type { ClusterName, Condition } from '../../../src/api/meta.ts';
import { stagedUpdateRun } from '../../../src/api/staged.ts';
import type { Status } from '../../../src/cli/status/open-status.ts';
import type { UnreachableMember } from '../../../src/repo/record/daemon-memory.ts';
import { readRecord } from '../../../src/repo/record/read.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
/** An instant of the hour before. */
export const at = (minute: number): string => `2026-11-20T11:${String(minute).padStart(2, '0')}:00Z`;
export const is = (type: string, status: Condition['status'], minute: number, message = ''): Condition => ({
  type,
  status,
  reason: `${type}Reason`,
  message,
  lastTransitionTime: at(minute),
});

/** A cluster of a stage. */
export const cluster = (clusterName: string, ...conditions: Condition[]) => ({ clusterName, conditions });
const done = (name: string, minute: number) => cluster(name, is('Started', 'True', 0), is('Succeeded', 'True', minute));
export const asked = is('ApprovalRequestCreated', 'True', 5);

/** A run of two stages; the first soaks an hour and is to be approved after. */
export const run = (status: object) =>
  stagedUpdateRun.parse({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterStagedUpdateRun',
    metadata: { name: 'web-1' },
    spec: { placementName: 'web', stagedRolloutStrategyName: 'careful' },
    status: {
      resourceSnapshotIndexUsed: '3',
      stagedUpdateStrategySnapshot: {
        stages: [
          { name: 'canary', afterStageTasks: [{ type: 'TimedWait', waitTime: '1h' }, { type: 'Approval' }] },
          { name: 'prod', maxConcurrency: 2, beforeStageTasks: [{ type: 'Approval' }] },
        ],
      },
      ...status,
    },
  });

/** It waits for the soak of its first stage, and for a person. */
export const waiting = run({
  conditions: [is('Initialized', 'True', 0), { ...is('Progressing', 'False', 5), reason: 'UpdateRunWaiting' }],
  stagesStatus: [
    {
      stageName: 'canary',
      startTime: at(0),
      clusters: [done('eu-1', 5)],
      afterStageTaskStatus: [
        { type: 'TimedWait' },
        { type: 'Approval', approvalRequestName: 'web-1-after-canary', conditions: [asked] },
      ],
    },
    {
      stageName: 'prod',
      clusters: [cluster('us-1'), cluster('us-2')],
      beforeStageTaskStatus: [{ type: 'Approval', approvalRequestName: 'web-1-before-prod' }],
    },
  ],
});

/** A status branch with these runs, of members some of which may be unreachable, and other files. */
export const statusWith = (
  runs: readonly ReturnType<typeof run>[],
  unreachable: Readonly<Record<string, UnreachableMember>> = {},
  files: Readonly<Record<string, string>> = {},
): Status => ({
  tip: 'tip',
  now,
  inPlace: false,
  branch: 'main',
  removals: [],
  files: new Map(),
  unreachable: new Map(Object.entries(unreachable)) as unknown as ReadonlyMap<ClusterName, UnreachableMember>,
  holds: [],
  reported: [],
  notRolledOut: [],
  notInEffect: { refusals: [], notValid: [], notRead: [], errors: [] },
  record: {
    ...readRecord(new Map(Object.entries(files))).record,
    runs: new Map(runs.map((one) => [one.metadata.name, one])),
  },
});
