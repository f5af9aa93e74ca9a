import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { MemberUpgrade, MemberVersions, UpgradeRunStatus } from '../../api/upgrade-status.ts';
import { allMembers, isDone, isInFlight, isTerminal } from '../../engine/upgrade/tree.ts';

/** How far a cluster update run is. */
export interface UpgradeProgress {
  readonly total: number;
  /** Members that have what the run brings, or were skipped. */
  readonly done: number;
  readonly failed: number;
  readonly inFlight: readonly string[];
  /** Members that wait for something else than a free slot. */
  readonly pending: readonly string[];
  /** The stage that it is in, or in which it failed; undefined = none. */
  readonly stage: string | undefined;
  /** The stage after that. */
  readonly next: string | undefined;
}

export function upgradeProgress(status: UpgradeRunStatus): UpgradeProgress {
  const members = allMembers(status);
  const names = (of: readonly MemberUpgrade[]): readonly string[] => of.map(({ name }) => name);
  const isEntered = status.status.startTime !== undefined;
  const isPassed = status.status.state === 'Failed' ? isDone : isTerminal;
  const at = isEntered ? status.stages.findIndex((stage) => !isPassed(stage)) : -1;
  return {
    total: members.length,
    done: members.filter(isDone).length,
    failed: status.failureCount,
    inFlight: names(members.filter(isInFlight)),
    pending: names(members.filter((member) => member.status.state === 'Pending')),
    stage: status.stages[at]?.name,
    next: at < 0 ? undefined : status.stages[at + 1]?.name,
  };
}

/** `1.31.5`, or what images it brings. */
export function upgradeTarget({ spec }: Settings): string {
  const { upgrade, nodeImageSelection } = spec.managedClusterUpdate;
  return upgrade.kubernetesVersion ?? `${nodeImageSelection?.type ?? 'Latest'} images`;
}

/** Of a run, or of one that is proposed. */
interface Settings {
  readonly spec: Pick<UpdateRun['spec'], 'managedClusterUpdate'>;
}

/** `Kubernetes 1.31.5, control plane and nodes` */
export function upgradeBrings(run: Settings): string {
  const { upgrade, nodeImageSelection } = run.spec.managedClusterUpdate;
  switch (upgrade.type) {
    case 'Full':
      return `Kubernetes ${upgradeTarget(run)}, control plane and nodes`;
    case 'ControlPlaneOnly':
      return `Kubernetes ${upgradeTarget(run)}, control plane only`;
    case 'NodeImageOnly':
      return `node images (${nodeImageSelection?.type ?? 'Latest'})`;
  }
}

/** `v1.30.9 → v1.31.5`, of the control plane or of the pools that change; undefined where neither is known. */
export function versionChange({ from, to }: Pick<MemberUpgrade, 'from' | 'to'>): string | undefined {
  if (to === undefined) return undefined;
  const change = (was: string | undefined, is: string): string => (was === undefined ? `→ ${is}` : `${was} → ${is}`);
  if (to.controlPlane !== undefined) return change(from?.controlPlane, to.controlPlane);
  const changes = (to.pools ?? []).flatMap((pool) => {
    const was = poolOf(from, pool.name);
    const is = pool.image ?? pool.kubernetes;
    return is === undefined ? [] : [change(pool.image === undefined ? was?.kubernetes : was?.image, is)];
  });
  return changes.length === 0 ? undefined : [...new Set(changes)].join(', ');
}

const poolOf = (versions: MemberVersions | undefined, name: string) =>
  versions?.pools?.find((pool) => pool.name === name);
