import type { UpgradeGate } from '../../api/upgrade-gate.ts';
import type { ManagedClusterUpdate } from '../../api/upgrade-run.ts';
import type { UpgradeRunStatus } from '../../api/upgrade-status.ts';
import { type Answer, isAbsenceCertain, readAnswer } from '../gate/answer.ts';
import { digestOfReview, reasonAnnotation, reviewAnnotation } from '../gate/review.ts';
import type { Fleet } from '../input.ts';
import { memoize } from '../kernel/memoize.ts';
import { gateIn, type RunGate } from './gate-names.ts';
import type { UpgradesInput } from './upgrades-input.ts';

/** Whether a missing approval of a gate was removed. */
export const isGateAbsenceCertain = (fleet: Pick<Fleet, 'unreadable' | 'refused'>): boolean =>
  isAbsenceCertain(fleet, ['Gate']);

/** What an approver of a gate reviews. */
export interface Reviewed {
  readonly run: string;
  readonly update: ManagedClusterUpdate;
  readonly status: UpgradeRunStatus;
}

/** How the file on main answers a gate. */
export function answerTo(
  gate: RunGate,
  { run, update, status }: Reviewed,
  input: Pick<UpgradesInput, 'gates' | 'handWritten' | 'digest'>,
): Answer<UpgradeGate> {
  const file = byName(input.gates).get(gate.name);
  if (file === undefined) return { kind: 'none' };
  const { state, gateType } = file.spec;
  const isOther = !isFor(file, run, gate) || gateType !== gateIn(status, gate).type;
  return readAnswer(
    {
      file,
      decision: state === 'Completed' ? 'approved' : state === 'Rejected' ? 'rejected' : undefined,
      outdated: isOther ? `approval ${gate.name} on main is for another gate` : undefined,
      early: isAmong(status.earlyApprovals, file),
      review: reviewOf(file),
      message: file.metadata.annotations?.[reasonAnnotation] ?? '',
    },
    { digest: () => reviewDigest(gate, { run, update, status }, input.digest), handWritten: input.handWritten },
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

/** Approvals of a run that are on main before it starts: nothing could be reviewed yet. */
export const earlyApprovals = (
  run: string,
  { gates }: Pick<UpgradesInput, 'gates'>,
): NonNullable<UpgradeRunStatus['earlyApprovals']> =>
  gates.flatMap((file) => {
    const review = reviewOf(file);
    const isOfRun = file.spec.target.updateRunProperties.name === run;
    return isOfRun && review !== undefined ? [{ name: file.metadata.name, review }] : [];
  });

/** Without those whose files are removed, or name another review by now: a file that is added again may count. */
export function stillEarly(
  early: UpgradeRunStatus['earlyApprovals'],
  { gates, absenceIsCertain }: Pick<UpgradesInput, 'gates' | 'absenceIsCertain'>,
): UpgradeRunStatus['earlyApprovals'] {
  const kept = early?.filter(({ name, review }) => {
    const file = byName(gates).get(name);
    return file === undefined ? !absenceIsCertain : reviewOf(file) === review;
  });
  return kept?.length ? kept : undefined;
}

const isAmong = (early: UpgradeRunStatus['earlyApprovals'], file: UpgradeGate): boolean =>
  early?.some(({ name, review }) => name === file.metadata.name && review === reviewOf(file)) === true;

const reviewOf = ({ metadata }: UpgradeGate): string | undefined => metadata.annotations?.[reviewAnnotation];

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
