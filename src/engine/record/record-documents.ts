import type { MemberCluster, MemberClusterStatus } from '../../api/member-cluster.ts';
import type { MirroredStatus } from '../../api/mirrored-status.ts';
import type { PlacementStatus, StatusInNamespace } from '../../api/placement.ts';
import type { PlacementState } from '../../api/placement-state.ts';
import { canonicalState } from '../delivery/canonical-state.ts';
import { findCondition } from '../kernel/condition.ts';
import type { Member } from '../placement/members.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { PlannedApproval, RecordDocument } from '../plan-document.ts';

/** Files per directory before names are sharded by the first two hex digits of their sha-256 (docs/status-branch.md). */
const mostEntries = 1000;

const object = (value: object): RecordDocument => ({ kind: 'object', value });

/** Where one entry of a status-branch directory stands. */
export function recordPath(directory: string, name: string, entries: number, digest: (text: string) => string): string {
  return entries > mostEntries ? `${directory}/${digest(name).slice(0, 2)}/${name}` : `${directory}/${name}`;
}

/** Below `placements/<[ns.]name>/`: status, state and the resources of every remembered snapshot. */
export function placementDocuments(
  work: PlacementWork,
  { status, inNamespace }: { readonly status: PlacementStatus; readonly inNamespace: StatusInNamespace | undefined },
): [string, RecordDocument][] {
  const { placement } = work;
  const {
    creationTimestamp: _c,
    resourceVersion: _r,
    uid: _u,
    managedFields: _m,
    ...metadata
  } = placement.metadata as Record<string, unknown>;
  const state: PlacementState = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'PlacementState',
    metadata: {
      name: placement.metadata.name,
      ...(placement.kind === 'ResourcePlacement' ? { namespace: placement.metadata.namespace } : {}),
    },
    policySnapshots: [...work.policySnapshots],
    resourceSnapshots: [...work.resourceSnapshots],
    bindings: work.bindings.map(({ binding }) => binding),
  };
  const { status: _, ...rest } = placement;
  // Of a placement whose file is gone the record may hold state without status: there is no spec then that could be told.
  const isKnown = placement.spec.resourceSelectors.length > 0;
  return [
    ...(isKnown ? [['status.yaml', object({ ...rest, metadata, status })] as [string, RecordDocument]] : []),
    ['state.yaml', object(canonicalState(state))],
    ...(inNamespace ? [['namespace-status.yaml', object(inNamespace)] as [string, RecordDocument]] : []),
    // An index whose contents nobody knows (a state written by hand) must not come back as one that held nothing.
    ...work.resourceSnapshots.flatMap(({ index }): [string, RecordDocument][] => {
      const value = work.contents.get(index);
      return value ? [[`snapshots/${index}.yaml`, { kind: 'manifests', value }]] : [];
    }),
  ];
}

/** Below `placements/<[ns.]name>/`: `mirrored/<cluster>.yaml`. */
export const mirroredDocuments = (
  mirrored: readonly MirroredStatus[],
  digest: (text: string) => string,
): [string, RecordDocument][] =>
  mirrored.map((value) => [
    `${recordPath('mirrored', value.clusterName, mirrored.length, digest)}.yaml`,
    object(value),
  ]);

/**
 * `clusters/<name>.yaml`: the member with its status, without heartbeats and observation times. Usage moves all the
 * time: what was published stands unless something else changed too (docs/status-branch.md).
 */
export function clusterDocument(
  cluster: MemberCluster,
  member: Member,
  recorded: MemberCluster | undefined,
): RecordDocument {
  const status = sinceRecorded(published(member.status), recorded?.status);
  const next = { ...cluster, status };
  if (!recorded) return object(next);
  const { resourceUsage: _a, ...withoutUsage } = status;
  const { resourceUsage, ...recordedStatus } = recorded.status ?? {};
  const unchanged =
    JSON.stringify({ ...cluster, status: withoutUsage }) === JSON.stringify({ ...recorded, status: recordedStatus });
  return object(
    unchanged ? { ...next, status: { ...withoutUsage, ...(resourceUsage ? { resourceUsage } : {}) } } : next,
  );
}

/** Every daemon dates a member's health from its own first contact: while it is the same, the first date stands. */
function sinceRecorded(status: MemberClusterStatus, recorded: MemberClusterStatus | undefined): MemberClusterStatus {
  if (!status.agentStatus || !recorded?.agentStatus) return status;
  const agents = new Map(recorded.agentStatus.map((agent) => [agent.type, agent.conditions]));
  return {
    ...status,
    agentStatus: status.agentStatus.map((agent) => ({
      ...agent,
      ...(agent.conditions
        ? {
            conditions: agent.conditions.map((condition) => {
              const before = findCondition(agents.get(agent.type), condition.type);
              return before?.status === condition.status && before.lastTransitionTime && condition.lastTransitionTime
                ? { ...condition, lastTransitionTime: before.lastTransitionTime }
                : condition;
            }),
          }
        : {}),
    })),
  };
}

function published(status: MemberClusterStatus): MemberClusterStatus {
  const { properties, resourceUsage, agentStatus, conditions, ...rest } = status;
  return {
    ...rest,
    ...(conditions ? { conditions } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties)
              .sort()
              .map(([name, { value }]) => [name, { value }]),
          ),
        }
      : {}),
    ...(agentStatus ? { agentStatus: agentStatus.map(({ lastReceivedHeartbeat: _, ...agent }) => agent) } : {}),
    ...(resourceUsage ? { resourceUsage: withoutTime(resourceUsage) } : {}),
  };
}

function withoutTime<T extends { observationTime?: string | undefined }>({
  observationTime: _,
  ...rest
}: T): Omit<T, 'observationTime'> {
  return rest;
}

/** The request as KubeFleet labels it (updaterun/execution.go), with what was reviewed as annotation. */
export const approvalDocument = (approval: PlannedApproval): RecordDocument =>
  object({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: approval.kind,
    metadata: {
      name: approval.name,
      ...(approval.namespace ? { namespace: approval.namespace } : {}),
      labels: {
        'kubernetes-fleet.io/targetUpdateRun': approval.spec.parentStageRollout,
        'kubernetes-fleet.io/targetUpdatingStage': approval.spec.targetStage,
        'kubernetes-fleet.io/taskType': taskTypeOf(approval),
        'kubernetes-fleet.io/isLatestUpdateRunApproval': 'true',
      },
      annotations: { 'gitfleet.dev/review': approval.reviewDigest },
    },
    spec: approval.spec,
    status: approval.status,
  });

const taskTypeOf = ({ name, spec: { parentStageRollout, targetStage } }: PlannedApproval): string =>
  name === `${parentStageRollout}-before-${targetStage}` ? 'beforeStage' : 'afterStage';
