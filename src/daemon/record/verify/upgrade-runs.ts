import { formatMinor, formatVersion, parseVersion, reaches } from '../../../api/kubernetes-version.ts';
import { isLeaving } from '../../../api/member-cluster.ts';
import type { UpgradeType } from '../../../api/upgrade-fields.ts';
import type { SkipTarget, UpdateRun } from '../../../api/upgrade-run.ts';
import type { GroupUpgrade, MemberUpgrade, StageUpgrade, UpgradeRunStatus } from '../../../api/upgrade-status.ts';
import type { UpgradeStages } from '../../../api/upgrade-strategy.ts';
import { commitsIn } from '../../../engine/gate/recorded-commits.ts';
import type { Fleet } from '../../../engine/input.ts';
import { sameValue } from '../../../engine/kernel/same-value.ts';
import { labelsOf } from '../../../engine/placement/members.ts';
import { hasStartedBehind, membersBehind, membersOfScope } from '../../../engine/upgrade/check-gates.ts';
import { answerTo, approvalsOf, upgradeGateInput } from '../../../engine/upgrade/gate-answer.ts';
import { gateIn, gatesOf, type RunGate, withGate } from '../../../engine/upgrade/gate-names.ts';
import { allowedFailures, sizeOf } from '../../../engine/upgrade/limits.ts';
import { groupsOf, selectMembers } from '../../../engine/upgrade/select-members.ts';
import { strategyOf } from '../../../engine/upgrade/strategy.ts';
import { allMembers, isInFlight, isSkipped as isSkippedMember, mapMembers } from '../../../engine/upgrade/tree.ts';
import { sha256 } from '../../../repo/sha256.ts';
import { earlySince, type Since } from './early-since.ts';
import type { FollowedHistory } from './followed-history.ts';

/** The run as far as it is proven, or why its record is not trusted. */
export type UpgradeVerdict = { readonly run: UpdateRun } | { readonly fault: string };

/**
 * A recorded cluster update run is trusted when its file, its strategy, the labels of its members and its catalogs were on the
 * followed branch at the commit that it started from, when each passed approval was there of exactly what the run does, when nothing
 * has started behind another gate, and when what is in flight does what its file says. Gates that count as skipped without
 * a user's skip are asked again, as is every member of their scope. Times are not verified.
 */
export async function verifyUpgrade(run: UpdateRun, history: FollowedHistory): Promise<UpgradeVerdict> {
  const { status } = run;
  if (status?.status.startTime === undefined) return { run };
  const { initializedFrom = history.tip } = commitsIn(run.metadata.annotations);
  const from = await history.fleetAt(initializedFrom);
  if (from === undefined)
    return { fault: 'the commit that it started from is not in the history of the followed branch' };
  const tip = await history.fleetAt(history.tip);
  const chainsMinors = [from, tip].some((fleet) => fileIn(fleet, run)?.spec.chainMinors);
  const fault = shapeFault({ ...run, status }, from) ?? flightFault({ ...run, status }, chainsMinors);
  if (fault !== undefined) return { fault };
  // What an earlier attempt skipped is asked in front of what it started.
  const isLaterAttempt = status.attempt > 1 && status.attempt <= (fileIn(tip, run)?.spec.attempt ?? 1);
  const skip = await provenSkips(run, { initializedFrom, history });
  const asked = withoutInventedEnds(withoutInventedSkips(status, run.metadata.name, skip), run.metadata.name, skip);
  for (const gate of gatesOf(run.metadata.name, asked)) {
    const { type, status: gateStatus } = gateIn(asked, gate);
    const isPassed = ['Completed', 'Skipped'].includes(gateStatus.state) || isOfSkippedScope(status, gate);
    if (!isPassed && !isLaterAttempt && (hasStartedBehind(asked, gate) || membersBehind(asked, gate).some(isCompleted)))
      return { fault: `it has started members behind the gate ${gate.name}, which is not passed` };
    if (gateStatus.state !== 'Completed' || type !== 'Approval') continue;
    if (!(await isApproved(gate, { ...run, status: asked }, { from, initializedFrom, history })))
      return {
        fault: `its gate ${gate.name} counts as passed, but the history of the followed branch has no approval for it`,
      };
  }
  const known = from.versionCatalogs.flatMap(({ spec }) => spec.regions.flatMap((it) => it.nodeImageVersions ?? []));
  const images = new Set([...known, ...selectedImages(status)].map(({ version }) => version));
  return { run: { ...run, spec: { ...run.spec, skip: [...skip] }, status: withKnownImages(asked, images) } };
}

/** Its members are looked at again before anything else starts behind its gate, which stays closed if one was upgraded. */
const isOfSkippedScope = (status: UpgradeRunStatus, gate: RunGate): boolean =>
  gateIn(status, gate).status.state === 'Skipped' && membersOfScope(status, gate).every(isSkippedMember);

/** Only a member that was started gets there, whether or not the record still has its operation. */
const isCompleted = ({ status }: MemberUpgrade): boolean => status.state === 'Completed';

type Started = UpdateRun & { readonly status: UpgradeRunStatus };

const fileIn = (fleet: Fleet | undefined, { metadata }: UpdateRun): UpdateRun | undefined =>
  fleet?.upgradeRuns.find((file) => file.metadata.name === metadata.name);

const selectedImages = ({ nodeImageSelection }: UpgradeRunStatus) =>
  nodeImageSelection?.selectedNodeImageVersions ?? [];

function shapeFault(run: Started, from: Fleet): string | undefined {
  const { spec, status } = run;
  const written = fileIn(from, run);
  if (
    written === undefined ||
    written.spec.updateStrategyId !== spec.updateStrategyId ||
    !sameValue(written.spec.managedClusterUpdate, spec.managedClusterUpdate)
  )
    return 'the followed branch did not have the run as it is recorded when it started';
  const strategy = strategyOf(written, from.upgradeStrategies);
  if (strategy === undefined || !sameValue(strategy, spec.strategy))
    return 'its strategy is not that of the followed branch when it started';
  if (!isAsArranged(status, strategy, from))
    return 'its stages are not those of its strategy and of the members of the followed branch when it started';
  if (!strategy.stages.every((config, at) => areLimitsOf(config, status.stages[at]!)))
    return 'more or fewer members of a stage may fail than its strategy allows';
  return imageFault({ spec, status }, from);
}

/** Stages, groups, their gates and their members. Where files could not be read, the engine may have known other members. */
function isAsArranged({ stages }: UpgradeRunStatus, strategy: UpgradeStages, from: Fleet): boolean {
  const isOpen = from.unreadable.length + from.refused.length > 0;
  const members = from.members
    .filter((member) => !isLeaving(member))
    .map((member) => ({
      name: member.metadata.name,
      labels: labelsOf(member),
      annotations: {},
      observation: undefined,
      region: undefined,
    }));
  const selected = selectMembers(strategy, members);
  const gatesIn = (scope: StageUpgrade | GroupUpgrade): string =>
    JSON.stringify([scope.beforeGates.map(({ type }) => type), scope.afterGates.map(({ type }) => type)]);
  const gatesFor = (scope: UpgradeStages['stages'][number]): string =>
    JSON.stringify([
      (scope.beforeGates ?? []).map(({ type }) => type),
      (scope.afterGates ?? []).map(({ type }) => type),
    ]);
  return (
    stages.length === strategy.stages.length &&
    strategy.stages.every((config, at) => {
      const stage = stages[at]!;
      const groups = groupsOf(config);
      return (
        stage.name === config.name &&
        gatesIn(stage) === gatesFor(config) &&
        stage.groups.length === groups.length &&
        groups.every((group, place) => {
          const recorded = stage.groups[place]!;
          const names = new Set<string>(selected[at]![place]!.members.map(({ name }) => name));
          const isIn = recorded.members.every(({ name }) => names.has(name));
          const isOwn = group === config || gatesIn(recorded) === gatesFor(group as typeof config);
          return recorded.name === group.name && isOwn && (isOpen || (isIn && recorded.members.length === names.size));
        })
      );
    })
  );
}

/** Limits of failures are set when a stage starts, by its members at that time. Some may have left the fleet since. */
function areLimitsOf(config: UpgradeStages['stages'][number], stage: StageUpgrade): boolean {
  if (stage.status.startTime === undefined) return true;
  const isLimitOf = (
    of: Parameters<typeof allowedFailures>[0],
    { maxAllowedFailures: limit }: StageUpgrade | GroupUpgrade,
    groups: readonly GroupUpgrade[],
  ): boolean => {
    const [least, most] = [groups.map(sizeOf), groups.map(({ members }) => members.length)].map((sizes) =>
      allowedFailures(
        of,
        sizes.reduce((sum, size) => sum + size, 0),
      ),
    );
    return least! <= limit && limit <= most!;
  };
  return (
    isLimitOf(config, stage, stage.groups) &&
    // The one group of a stage without groups has the limits of the stage.
    stage.groups.every((group, place) => isLimitOf(config.groups?.[place] ?? config, group, [group]))
  );
}

function imageFault({ spec, status }: Pick<Started, 'spec' | 'status'>, from: Fleet): string | undefined {
  const { type = 'Latest', customNodeImageVersions = [] } = spec.managedClusterUpdate.nodeImageSelection ?? {};
  const selected = selectedImages(status).map(({ version }) => version);
  const listed =
    type === 'Custom'
      ? customNodeImageVersions
      : type === 'Consistent'
        ? from.versionCatalogs.flatMap(({ spec }) => spec.regions.flatMap((it) => it.nodeImageVersions ?? []))
        : [];
  const known = new Set(listed.map(({ version }) => version));
  const unknown = selected.find((version) => !known.has(version));
  return unknown && `its node image ${unknown} is not one that its file or a VersionCatalog named when it started`;
}

/** What is in flight must do what the run's file says, or with `chainMinors` a part of that on the way there. */
function flightFault({ spec, status }: Started, chainsMinors: boolean): string | undefined {
  const { upgrade } = spec.managedClusterUpdate;
  const wanted = upgrade.kubernetesVersion === undefined ? undefined : parseVersion(upgrade.kubernetesVersion);
  const isOther = (text: string | undefined): boolean => {
    if (text === undefined) return false;
    const version = parseVersion(text);
    if (version === undefined || wanted === undefined) return true;
    // Of a wanted minor every patch is the target.
    const target = wanted.patch === undefined ? parseVersion(formatMinor(version)) : version;
    const isBeyond = !reaches(wanted, target!) && formatVersion(version) !== formatVersion(wanted);
    return isBeyond || (!chainsMinors && !reaches(version, wanted));
  };
  const inFlight = allMembers(status).filter(isInFlight);
  const found = inFlight.find((member) => [member.to?.controlPlane, ...poolVersions(member)].some(isOther));
  if (found) return `it upgrades ${found.name} to a version that its file does not name`;
  const other = inFlight.find((member) => !isOfType(member, upgrade.type, chainsMinors));
  return other && `it upgrades parts of ${other.name} that its file does not name`;
}

/** Whether an operation changes no more than its type says, and is of the type of the file. Parts of a chain have types of their own. */
function isOfType({ type = 'Full', to }: MemberUpgrade, wanted: UpgradeType, chainsMinors: boolean): boolean {
  const isPart = chainsMinors && wanted !== 'NodeImageOnly' && type !== 'NodeImageOnly';
  if (type !== wanted && !isPart) return false;
  if (type === 'ControlPlaneOnly') return (to?.pools ?? []).length === 0;
  return type === 'Full' || to?.controlPlane === undefined;
}

const poolVersions = ({ to }: MemberUpgrade): (string | undefined)[] =>
  (to?.pools ?? []).map(({ kubernetes }) => kubernetes);

/** An image that nothing proves is left to the provider: that of the version that the pool gets. */
const withKnownImages = (status: UpgradeRunStatus, known: ReadonlySet<string>): UpgradeRunStatus =>
  mapMembers(status, (member) => {
    const pools = member.to?.pools;
    if (!isInFlight(member) || pools === undefined) return member;
    if (pools.every(({ image }) => image === undefined || known.has(image))) return member;
    const proven = pools.map(({ image, ...pool }) =>
      image === undefined || !known.has(image) ? pool : { ...pool, image },
    );
    return { ...member, to: { ...member.to, pools: proven } };
  });

/** Skips of the file, and recorded ones that it had before in the same attempt. */
async function provenSkips(
  run: UpdateRun,
  { initializedFrom, history }: Omit<Since, 'from'>,
): Promise<readonly SkipTarget[]> {
  const textOf = ({ type, name }: SkipTarget): string => `${type} ${name}`;
  const open = new Map(run.spec.skip.map((target) => [textOf(target), target]));
  const proven: SkipTarget[] = [];
  const take = (fleet: Fleet | undefined): void => {
    const { attempt, skip } = fileIn(fleet, run)?.spec ?? { attempt: undefined, skip: [] };
    for (const target of attempt === run.status?.attempt ? skip : []) {
      const found = open.get(textOf(target));
      if (found) proven.push(found);
      open.delete(textOf(target));
    }
  };
  take(await history.fleetAt(history.tip));
  if (open.size > 0)
    for await (const { commit, fleet } of history.before(history.tip)) {
      take(fleet);
      if (open.size === 0 || commit === initializedFrom) break;
    }
  return proven;
}

const isAmong =
  (skip: readonly SkipTarget[]) =>
  (type: SkipTarget['type'], name: string): boolean =>
    skip.some((target) => target.type === type && target.name === name);

/**
 * A scope whose members are all skipped has no gates, and members that failed end it, too. So as long as a gate has not passed, members
 * behind it that count as ended are looked at again, and so are skipped ones of its own scope, unless their file skips them.
 */
function withoutInventedEnds(status: UpgradeRunStatus, run: string, skip: readonly SkipTarget[]): UpgradeRunStatus {
  const isSkipped = isAmong(skip);
  const open = gatesOf(run, status).filter((gate) => {
    const { state } = gateIn(status, gate).status;
    return state !== 'Completed' && state !== 'Skipped';
  });
  if (open.length === 0) return status;
  const behind = new Set(open.flatMap((gate) => membersBehind(status, gate)));
  const isOfScope = (stage: string, group: string): boolean =>
    open.some((gate) => gate.stage === stage && (gate.group === undefined || gate.group === group));
  return mapMembers(status, (member, { stage, group }) => {
    const { state } = member.status;
    const isInvented =
      (state === 'Failed' && behind.has(member)) ||
      (state === 'Skipped' && (behind.has(member) || isOfScope(stage.name, group.name)));
    if (!isInvented || isSkipped('Stage', stage.name) || isSkipped('Group', group.name)) return member;
    return isSkipped('Member', member.name) ? member : { ...member, status: { state: 'NotStarted' } };
  });
}

/** A gate is skipped with its scope: by a user, or because none of its members has anything to do, which is found out again. */
function withoutInventedSkips(status: UpgradeRunStatus, run: string, skip: readonly SkipTarget[]): UpgradeRunStatus {
  const isSkipped = isAmong(skip);
  const invented = gatesOf(run, status).filter(
    (gate) =>
      gateIn(status, gate).status.state === 'Skipped' &&
      !isSkipped('Stage', gate.stage) &&
      !(gate.group !== undefined && isSkipped('Group', gate.group)),
  );
  const isConcerned = (stage: string, group: string): boolean =>
    invented.some((gate) => gate.stage === stage && (gate.group === undefined || gate.group === group));
  const asked = invented.reduce(
    (step, gate) => withGate(step, gate, { ...gateIn(step, gate), status: { state: 'NotStarted' } }),
    status,
  );
  return mapMembers(asked, (member, { stage, group }) =>
    member.status.state === 'Skipped' && !isSkipped('Member', member.name) && isConcerned(stage.name, group.name)
      ? { ...member, status: { state: 'NotStarted' } }
      : member,
  );
}

/** Whether the followed branch had an approval of the gate when it was passed, that was not there before the run started. */
async function isApproved(gate: RunGate, run: Started, since: Since): Promise<boolean> {
  const { initializedFrom, history } = since;
  const { name } = run.metadata;
  const approvedIn = commitsIn(run.metadata.annotations).approvedIn.get(gate.name) ?? history.tip;
  const fleet = await history.fleetAt(approvedIn);
  if (fleet === undefined || !(await history.holds(initializedFrom, approvedIn))) return false;
  const early = await earlySince({ commit: approvedIn, fleet }, since, (at) => ({
    files: approvalsOf(name, at.gates),
    absenceIsCertain: upgradeGateInput(at).absenceIsCertain,
  }));
  const status = { ...run.status, earlyApprovals: [...(run.status.earlyApprovals ?? []), ...early] };
  const input = { gates: fleet.gates, ...upgradeGateInput(fleet), digest: sha256 };
  return answerTo(gate, { run: name, update: run.spec.managedClusterUpdate, status }, input).kind === 'approved';
}
