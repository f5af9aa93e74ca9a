import type { ClusterName } from '../../api/meta.ts';
import type { ObservedVersions } from '../../api/observed-versions.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { StageUpgrade, UpgradeRunStatus } from '../../api/upgrade-status.ts';
import type { Fleet } from '../../engine/input.ts';
import { formatInstant, type Instant } from '../../engine/kernel/instant.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { labelsOf } from '../../engine/placement/members.ts';
import type { RequestedApproval } from '../../engine/plan-document.ts';
import { gatesOf } from '../../engine/upgrade/gate-names.ts';
import { isOpen, maintenanceOf, nextClosing, nextOpening } from '../../engine/upgrade/maintenance.ts';
import { membersOf } from '../../engine/upgrade/tree.ts';
import { type Item, list, type Section } from '../sections/section.ts';
import { haltOfUpgrade } from '../upgrades/halted.ts';
import { upgradeBrings, versionChange } from '../upgrades/progress.ts';
import {
  beginsAt,
  type ClusterAhead,
  freezeEnd,
  gateFailureText,
  gateStarts,
  isStarted,
  openedByGate,
  rejectedGateText,
  type StartedUpgrade,
} from '../waits/gate-starts.ts';
import { skippedBy, type TargetFacts, type TargetOf, targetsOf, withSkips } from '../waits/gate-targets.ts';
import { haltedTitle, namesOf, type Opened, openedTitle } from '../waits/opened.ts';

/** What the page of a gate is made from, besides the gate. */
export interface GateFacts extends TargetFacts {
  readonly fleet: TargetFacts['fleet'] & Pick<Fleet, 'maintenanceConfigurations' | 'config' | 'frozenUntil'>;
}

/** What merging the request of a gate does, how it goes so far, and its title. */
export interface GatePage {
  readonly title: string;
  readonly lead: readonly string[];
  /** What rejecting does: `ends the run`. */
  readonly rejection: string;
  readonly sections: readonly Section[];
}

const mostNamed = 10;
/** A run has at most 31 stages. */
export const mostSteps = 40;

/** Undefined if the run has no such gate. */
export function upgradeGatePage(
  { planned, subject }: RequestedApproval,
  run: UpdateRun | undefined,
  facts: GateFacts,
): GatePage | undefined {
  const gate = isStarted(run) && gatesOf(subject.name, run.status).find(({ name }) => name === planned.name);
  if (!isStarted(run) || !gate) return undefined;
  const targetOf = targetsOf(run, facts);
  const ahead = withSkips(run, targetOf);
  const opened = openedByGate(ahead, gate);
  const begins = beginsAt(ahead, gate, facts.nowMs);
  const scope = `${gate.timing.toLowerCase()} ${gate.group === undefined ? `stage ${gate.stage}` : `group ${gate.group}`}`;
  const failure = gateFailureText(opened);
  return {
    title: `Approve ${subject.name}: ${openedTitle(opened)} ${scope}${haltedTitle(haltOfUpgrade(run))}`,
    lead: [
      `Merging starts ${listUpTo(gateStarts(ahead, gate, { pause: freezeEnd(facts.fleet, begins) }), mostSteps, '; ')}.`,
      `Cluster update run ${subject.name}: ${upgradeBrings(run)}. Approval ${planned.name}.`,
      ...(failure === undefined ? [] : [failure]),
    ],
    rejection: rejectedGateText(ahead),
    sections: [
      list('Clusters', upgradesOf(opened, { run, facts, targetOf, begins }), {
        intro:
          'Stages one after the other, groups of a stage at the same time. Within one, clusters whose window is open go first.',
      }),
      list('Clusters that are skipped', skippedIn(run.status.stages.slice(gate.stageAt), targetOf)),
      list('So far', soFar(run.status)),
    ],
  };
}

interface Upgrading {
  readonly run: StartedUpgrade;
  readonly facts: GateFacts;
  readonly targetOf: TargetOf;
  /** When the first of it could begin. */
  readonly begins: Instant;
}

/** Clusters that are not over and that the run skips, by cause. */
function skippedIn(stages: readonly StageUpgrade[], targetOf: TargetOf): Item[] {
  return [...Map.groupBy(stages.flatMap(membersOf), (member) => skippedBy(targetOf, member))].flatMap(([why, of]) =>
    why === undefined
      ? []
      : [
          {
            line: [
              `${listUpTo(
                of.map(({ name }) => name),
                mostNamed,
              )}: ${why}`,
            ],
          },
        ],
  );
}

/** One line for each stage, group, change of versions and maintenance window. */
function upgradesOf({ stages, next }: Opened<ClusterAhead>, upgrading: Upgrading): Item[] {
  const { run, facts, begins } = upgrading;
  const labels = new Map(facts.fleet.members.map((member) => [member.metadata.name, labelsOf(member)]));
  const ahead = stages.length > 0 || next?.stage === undefined ? stages : [next.stage];
  const isFirst = (stage: StageUpgrade): boolean => stage.name === ahead[0]?.name && ahead[0].waits.length === 0;
  const windowOf = ({ clusterName: cluster, stage }: ClusterAhead): string => {
    const type = run.spec.managedClusterUpdate.upgrade.type;
    const of = { name: cluster, labels: labels.get(cluster) ?? {} };
    const maintenance = maintenanceOf(facts.fleet.maintenanceConfigurations, of, type);
    if (maintenance === undefined) return 'at any time';
    const windows = `maintenance window ${maintenance.names.join(', ')}`;
    const isOpenThen = isOpen(maintenance, begins);
    const [opens, closes] = [nextOpening(maintenance, begins), nextClosing(maintenance, begins)];
    if (!isOpenThen && opens === undefined) return `${windows}, which does not open`;
    // When a later stage begins is not known.
    if (!isFirst(stage)) return windows;
    if (!isOpenThen) return `${windows}, opens ${formatInstant(opens!)}`;
    return `${windows}, open${closes === undefined ? '' : ` until ${formatInstant(closes)}`}`;
  };
  const alike = Map.groupBy(
    ahead.flatMap(({ clusters }) => clusters),
    (cluster) =>
      [
        cluster.stage.name,
        cluster.group.name,
        becomesText(cluster.clusterName, { ...upgrading, window: windowOf(cluster) }),
      ].join('\n'),
  );
  return [...alike].map(([key, of]) => {
    const { stage, group } = of[0]!;
    return {
      line: [
        { bold: stage.name },
        ...(group.name === stage.name ? [] : [', group ', { bold: group.name }]),
        `, at most ${group.maxConcurrency} at once: ${namesOf(of)}: ${key.split('\n')[2]}`,
      ],
    };
  });
}

/** `v1.30.9 → v1.31.5; at any time`, or why it is not upgraded now, as a plan decides it once the cluster's turn has come. */
function becomesText(
  cluster: ClusterName,
  { run, facts, targetOf, window }: Upgrading & { readonly window: string },
): string {
  const versions = facts.observations.get(cluster)?.versions;
  const target = targetOf(cluster);
  if (target.kind !== 'start') return `${targetWords[target.kind]}: ${target.message}`;
  const to = { ...target.to, pools: target.to.pools.map((pool) => ({ ...pool })) };
  const change = versionChange({ from: versions, to }) ?? imagesText(run, versions);
  return `${change}${target.hop ? ', the first of several steps' : ''}; ${window}`;
}

const targetWords = { 'at-target': 'done', skip: 'skipped', fail: 'fails', wait: 'waits' } as const;

/** Of images of which no catalog says which they are. */
function imagesText({ spec: { managedClusterUpdate } }: UpdateRun, versions: ObservedVersions | undefined): string {
  const images = [...new Set((versions?.pools ?? []).flatMap(({ image }) => image ?? []))];
  const type = managedClusterUpdate.nodeImageSelection?.type ?? 'Latest';
  return `${images.length === 0 ? 'unknown images' : images.join(', ')} → ${type.toLowerCase()} images`;
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
