import type { UpgradeGate } from '../../api/upgrade-gate.ts';
import type { ManagedClusterUpdate } from '../../api/upgrade-run.ts';
import type { UpgradeRunStatus } from '../../api/upgrade-status.ts';
import { type Answer, type GateInput, gateInput, readAnswer } from '../gate/answer.ts';
import { digestOfReview, reasonAnnotation } from '../gate/review.ts';
import type { RunGates } from '../gate/run-gates.ts';
import { parseInstant } from '../kernel/instant.ts';
import { memoize } from '../kernel/memoize.ts';
import { gateIn, gatesOf, type RunGate } from './gate-names.ts';
import type { UpgradesInput } from './upgrades-input.ts';

/** What gates of cluster update runs read of the fleet. */
export const upgradeGateInput = (fleet: Parameters<typeof gateInput>[0]): GateInput => gateInput(fleet, ['Gate']);

/** What an approver of a gate reviews. */
export interface Reviewed {
  readonly run: string;
  readonly update: ManagedClusterUpdate;
  readonly status: UpgradeRunStatus;
}

type Answering = Pick<UpgradesInput, 'gates' | 'handWritten' | 'digest'>;

/** The gates of a run and how main answers them. */
export const gatesIn = (of: Reviewed, input: Answering): RunGates<RunGate, UpgradeGate> => ({
  all: gatesOf(of.run, of.status),
  isApproved: (gate) => gateIn(of.status, gate).status.state === 'Completed',
  requestOf: ({ name }) => ({ name }),
  answerTo: (gate) => answerTo(gate, of, input),
});

/** The same without scheduled starts, in the order in which they were passed: groups run in parallel. */
export function approvalsInOrder(of: Reviewed, input: Answering): RunGates<RunGate, UpgradeGate> {
  const gates = gatesIn(of, input);
  const passedAt = (gate: RunGate): number => parseInstant(gateIn(of.status, gate).status.completedTime ?? '') ?? 0;
  const all = gates.all.filter((gate) => gateIn(of.status, gate).type === 'Approval');
  return { ...gates, all: all.sort((a, b) => passedAt(a) - passedAt(b)) };
}

/** How the file on main answers a gate. */
export function answerTo(
  gate: RunGate,
  { run, update, status }: Reviewed,
  { gates, handWritten, digest }: Answering,
): Answer<UpgradeGate> {
  const file = byName(gates).get(gate.name);
  if (file === undefined) return { kind: 'none' };
  const { state, gateType } = file.spec;
  const isOther = !isFor(file, run, gate) || gateType !== gateIn(status, gate).type;
  return readAnswer(
    {
      file,
      decision: state === 'Completed' ? 'approved' : state === 'Rejected' ? 'rejected' : undefined,
      outdated: isOther ? `approval ${gate.name} on main is for another gate` : undefined,
      message: file.metadata.annotations?.[reasonAnnotation] ?? '',
    },
    { digest: () => reviewDigest(gate, { run, update, status }, digest), handWritten, early: status.earlyApprovals },
  );
}

/**
 * The digest that an approval of a gate must name: of run, stage, group, timing, what is upgraded to which images, and the
 * members of the scope. What becomes of them, and other scopes, are not part of it.
 */
export function reviewDigest(
  gate: RunGate,
  { run, update, status }: Reviewed,
  digest: (text: string) => string,
): string {
  const { groups } = status.stages[gate.stageAt]!;
  const inScope = gate.groupAt === undefined ? groups : [groups[gate.groupAt]!];
  const reviewed = {
    run,
    stage: gate.stage,
    group: gate.group,
    timing: gate.timing,
    at: gate.at,
    managedClusterUpdate: update,
    images: (status.nodeImageSelection?.selectedNodeImageVersions ?? []).map(({ version }) => version),
    groups: inScope.map(({ name, members }) => ({ name, members: members.map((member) => member.name) })),
  };
  return digestOfReview(reviewed, digest);
}

/** The approval files of a run. */
export const approvalsOf = (run: string, gates: readonly UpgradeGate[]): readonly UpgradeGate[] =>
  gates.filter(({ spec }) => spec.target.updateRunProperties.name === run);

const byName = memoize((gates: readonly UpgradeGate[]) => new Map(gates.map((gate) => [gate.metadata.name, gate])));

function isFor({ spec }: UpgradeGate, run: string, gate: RunGate): boolean {
  const { name, stage, group, timing } = spec.target.updateRunProperties;
  return (
    name === run &&
    timing === gate.timing &&
    (gate.group === undefined
      ? group === undefined && stage === gate.stage
      : group === gate.group && (stage === undefined || stage === gate.stage))
  );
}
