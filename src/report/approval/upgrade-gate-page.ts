import type { ClusterName } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { ObservedVersions } from '../../api/observed-versions.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { GroupUpgrade, MemberUpgrade, UpgradeRunStatus } from '../../api/upgrade-status.ts';
import type { Fleet } from '../../engine/input.ts';
import { formatInstant, type Instant } from '../../engine/kernel/instant.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { labelsOf } from '../../engine/placement/members.ts';
import type { RequestedApproval } from '../../engine/plan-document.ts';
import { gatesOf, type RunGate } from '../../engine/upgrade/gate-names.ts';
import { isOpen, maintenanceOf, nextClosing, nextOpening } from '../../engine/upgrade/maintenance.ts';
import { isTerminal, membersOf } from '../../engine/upgrade/tree.ts';
import { type Item, list, type Section } from '../sections/section.ts';
import { upgradeBrings } from '../upgrades/progress.ts';

/** What the page of a gate is made from, besides the gate. */
export interface GateFacts {
  readonly fleet: Pick<Fleet, 'members' | 'maintenanceConfigurations'>;
  readonly observations: ReadonlyMap<ClusterName, Pick<ClusterObservation, 'versions'>>;
  readonly nowMs: Instant;
}

/** What merging the request of a gate does, how it goes so far, and its title. */
export interface GatePage {
  readonly title: string;
  readonly lead: readonly string[];
  readonly sections: readonly Section[];
}

const mostNamed = 10;

/** Undefined if the run has no such gate. */
export function upgradeGatePage(
  { planned, subject }: RequestedApproval,
  run: UpdateRun | undefined,
  facts: GateFacts,
): GatePage | undefined {
  const gate = run?.status && gatesOf(subject.name, run.status).find(({ name }) => name === planned.name);
  if (run?.status === undefined || gate === undefined) return undefined;
  const { stage, groups } = behind(run.status, gate);
  const open = groups.map((group) => ({ group, members: group.members.filter((member) => !isTerminal(member)) }));
  const scope = `${gate.timing.toLowerCase()} ${gate.group === undefined ? `stage ${gate.stage}` : `group ${gate.group}`}`;
  const count = clustersOf(open.reduce((sum, { members }) => sum + members.length, 0));
  return {
    title: `Approve ${subject.name}: ${stage === undefined ? 'the end of the run' : `${stage} (${count})`} ${scope}`,
    lead: [
      stage === undefined
        ? `Merging opens the gate ${scope}: no clusters are upgraded behind it.`
        : `Merging starts the upgrade of ${count} ${gate.timing === 'Before' && gate.group !== undefined ? `in group ${gate.group}` : `in stage ${stage}`}.`,
      `Cluster update run ${subject.name}: ${upgradeBrings(run)}. Approval ${planned.name}.`,
    ],
    sections: [
      list(
        'Clusters',
        open.flatMap(({ group, members }) => upgradesOf(group, members, { run, facts })),
        { intro: 'Groups are upgraded at the same time. Within one, clusters whose window is open go first.' },
      ),
      list('So far', soFar(run.status)),
    ],
  };
}

/** The groups that the gate holds back: its own, or those of the next stage that has clusters to upgrade. */
function behind(
  { stages }: UpgradeRunStatus,
  { stageAt, groupAt, timing }: RunGate,
): { readonly stage: string | undefined; readonly groups: readonly GroupUpgrade[] } {
  if (timing === 'Before') {
    const { name, groups } = stages[stageAt]!;
    return { stage: name, groups: groups.filter((_, at) => groupAt === undefined || at === groupAt) };
  }
  // A stage without clusters is passed over.
  const next = stages.slice(stageAt + 1).find((stage) => !membersOf(stage).every(isTerminal));
  return { stage: next?.name, groups: next?.groups ?? [] };
}

/** One line for each change of versions and maintenance window. */
function upgradesOf(
  { name, maxConcurrency }: GroupUpgrade,
  members: readonly MemberUpgrade[],
  { run, facts }: { readonly run: UpdateRun; readonly facts: GateFacts },
): Item[] {
  const labels = new Map(facts.fleet.members.map((member) => [member.metadata.name, labelsOf(member)]));
  const windowOf = (cluster: ClusterName): string => {
    const type = run.spec.managedClusterUpdate.upgrade.type;
    const of = { name: cluster, labels: labels.get(cluster) ?? {} };
    const maintenance = maintenanceOf(facts.fleet.maintenanceConfigurations, of, type);
    if (maintenance === undefined) return 'at any time';
    const windows = `maintenance window ${maintenance.names.join(', ')}`;
    if (isOpen(maintenance, facts.nowMs)) {
      const closes = nextClosing(maintenance, facts.nowMs);
      return `${windows}, open${closes === undefined ? '' : ` until ${formatInstant(closes)}`}`;
    }
    const opens = nextOpening(maintenance, facts.nowMs);
    return `${windows}, ${opens === undefined ? 'which does not open' : `opens ${formatInstant(opens)}`}`;
  };
  const alike = Map.groupBy(
    members,
    (member) => `${changeText(run, facts.observations.get(member.name)?.versions)}; ${windowOf(member.name)}`,
  );
  return [...alike].map(([text, of]) => ({
    line: [
      { bold: name },
      `, at most ${maxConcurrency} at once: ${listUpTo(
        of.map((member) => member.name),
        mostNamed,
      )}: ${text}`,
    ],
  }));
}

/** `v1.30.9 → v1.31.5`; of node images, the oldest of each pool. */
function changeText({ spec, status }: UpdateRun, versions: ObservedVersions | undefined): string {
  const { upgrade, nodeImageSelection } = spec.managedClusterUpdate;
  if (upgrade.kubernetesVersion !== undefined && upgrade.type !== 'NodeImageOnly') {
    const to = `v${upgrade.kubernetesVersion.replace(/^v/, '')}`;
    const from = versions?.controlPlane ?? 'unknown version';
    return from === to ? `control plane stays ${to}` : `${from} → ${to}`;
  }
  const images = [...new Set((versions?.pools ?? []).flatMap(({ image }) => image ?? []))];
  const selected = (status?.nodeImageSelection?.selectedNodeImageVersions ?? []).map(({ version }) => version);
  const to = selected.length > 0 ? selected.join(', ') : `${nodeImageSelection?.type ?? 'Latest'} images`.toLowerCase();
  return `${images.length === 0 ? 'unknown images' : images.join(', ')} → ${to}`;
}

const endWords = [
  ['Completed', 'upgraded'],
  ['Skipped', 'skipped'],
  ['Failed', 'failed'],
] as const;

/** Stages in which something is over, with the clusters by name. */
const soFar = ({ stages }: UpgradeRunStatus): Item[] =>
  stages.flatMap((stage): Item[] => {
    const members = membersOf(stage);
    const over = endWords.flatMap(([state, word]) => {
      const names = members.filter(({ status }) => status.state === state).map(({ name }) => name);
      return names.length === 0 ? [] : [{ word, names }];
    });
    // `2 of 3 clusters upgraded (a, b), 1 failed (c)`
    const done = over.map(({ word, names }, at) => {
      const count = at === 0 ? `${names.length} of ${clustersOf(members.length)}` : `${names.length}`;
      return `${count} ${word} (${listUpTo(names, mostNamed)})`;
    });
    return done.length === 0 ? [] : [{ line: [{ bold: stage.name }, `: ${done.join(', ')}`] }];
  });

const clustersOf = (count: number): string => `${count} ${count === 1 ? 'cluster' : 'clusters'}`;
