import type { GateStatus, UpgradeRunStatus } from '../../api/upgrade-status.ts';

export type GateTiming = 'Before' | 'After';

/** A gate of a run. */
export interface RunGate {
  /** Of its approval file, and of the branch that requests it. */
  readonly name: string;
  readonly stageAt: number;
  readonly stage: string;
  /** Undefined = the stage's own. */
  readonly groupAt: number | undefined;
  readonly group: string | undefined;
  readonly timing: GateTiming;
  /** Place in `beforeGates` or `afterGates`. */
  readonly at: number;
}

/** All gates of a run, in the order in which it reaches them. */
export function gatesOf(run: string, { stages }: Pick<UpgradeRunStatus, 'stages'>): readonly RunGate[] {
  const stageNames = new Set(stages.map(({ name }) => name));
  return stages.flatMap((stage, stageAt) => {
    const ofStage = { stageAt, stage: stage.name, groupAt: undefined, group: undefined };
    const ofGroups = stage.groups.flatMap((group, groupAt) => {
      const ofGroup = { stageAt, stage: stage.name, groupAt, group: group.name };
      // A group may have the name of a stage.
      const scope = stageNames.has(group.name) ? `group-${group.name}` : group.name;
      return [
        ...named(run, scope, 'Before', group.beforeGates).map((gate) => ({ ...ofGroup, ...gate })),
        ...named(run, scope, 'After', group.afterGates).map((gate) => ({ ...ofGroup, ...gate })),
      ];
    });
    return [
      ...named(run, stage.name, 'Before', stage.beforeGates).map((gate) => ({ ...ofStage, ...gate })),
      ...ofGroups,
      ...named(run, stage.name, 'After', stage.afterGates).map((gate) => ({ ...ofStage, ...gate })),
    ];
  });
}

/** `{run}-{before|after}-{scope}`, with `-1`, `-2`, … where there are several. */
const named = (
  run: string,
  scope: string,
  timing: GateTiming,
  gates: readonly GateStatus[],
): Pick<RunGate, 'name' | 'timing' | 'at'>[] =>
  gates.map((_, at) => ({
    name: `${run}-${timing.toLowerCase()}-${scope}${gates.length > 1 ? `-${at + 1}` : ''}`,
    timing,
    at,
  }));

/** The gate as the status of the run shows it. */
export function gateIn({ stages }: Pick<UpgradeRunStatus, 'stages'>, gate: RunGate): GateStatus {
  const stage = stages[gate.stageAt]!;
  const scope = gate.groupAt === undefined ? stage : stage.groups[gate.groupAt]!;
  return (gate.timing === 'Before' ? scope.beforeGates : scope.afterGates)[gate.at]!;
}

/** The run with a gate in place of the one that it has. */
export function withGate<S extends Pick<UpgradeRunStatus, 'stages'>>(status: S, gate: RunGate, next: GateStatus): S {
  const list = gate.timing === 'Before' ? 'beforeGates' : 'afterGates';
  const put = <Scope extends { readonly beforeGates: GateStatus[]; readonly afterGates: GateStatus[] }>(
    scope: Scope,
  ): Scope => ({ ...scope, [list]: scope[list].map((before, at) => (at === gate.at ? next : before)) });
  const stages = status.stages.map((stage, at) => {
    if (at !== gate.stageAt) return stage;
    if (gate.groupAt === undefined) return put(stage);
    return { ...stage, groups: stage.groups.map((group, index) => (index === gate.groupAt ? put(group) : group)) };
  });
  return { ...status, stages };
}
