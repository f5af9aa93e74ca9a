import type { ClusterName } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { ObservedVersions } from '../../api/observed-versions.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { UpgradeRunStatus } from '../../api/upgrade-status.ts';
import { freezeOf } from '../../engine/freeze/freeze.ts';
import type { Fleet } from '../../engine/input.ts';
import { formatInstant, type Instant } from '../../engine/kernel/instant.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { labelsOf } from '../../engine/placement/members.ts';
import type { RequestedApproval } from '../../engine/plan-document.ts';
import { gatesOf } from '../../engine/upgrade/gate-names.ts';
import { isOpen, maintenanceOf, nextClosing, nextOpening } from '../../engine/upgrade/maintenance.ts';
import { membersOf } from '../../engine/upgrade/tree.ts';
import { type Item, list, type Section } from '../sections/section.ts';
import { upgradeBrings } from '../upgrades/progress.ts';
import {
  type ClusterAhead,
  gateFailureText,
  gateStarts,
  isStarted,
  openedByGate,
  rejectedGateText,
} from '../waits/gate-starts.ts';
import { namesOf, type Opened, openedTitle } from '../waits/opened.ts';

/** What the page of a gate is made from, besides the gate. */
export interface GateFacts {
  readonly fleet: Pick<Fleet, 'members' | 'maintenanceConfigurations' | 'config' | 'frozenUntil'>;
  readonly observations: ReadonlyMap<ClusterName, Pick<ClusterObservation, 'versions'>>;
  readonly nowMs: Instant;
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
  const opened = openedByGate(run, gate);
  const scope = `${gate.timing.toLowerCase()} ${gate.group === undefined ? `stage ${gate.stage}` : `group ${gate.group}`}`;
  const failure = gateFailureText(opened);
  return {
    title: `Approve ${subject.name}: ${openedTitle(opened)} ${scope}`,
    lead: [
      `Merging starts ${listUpTo(gateStarts(run, gate, { pause: pauseOf(facts) }), mostSteps, '; ')}.`,
      `Cluster update run ${subject.name}: ${upgradeBrings(run)}. Approval ${planned.name}.`,
      ...(failure === undefined ? [] : [failure]),
    ],
    rejection: rejectedGateText(run),
    sections: [
      list('Clusters', upgradesOf(opened, { run, facts }), {
        intro:
          'Stages one after the other, groups of a stage at the same time. Within one, clusters whose window is open go first.',
      }),
      list('So far', soFar(run.status)),
    ],
  };
}

/** What ends the freeze of the fleet, if it is frozen. */
export function pauseOf({ fleet, nowMs }: Pick<GateFacts, 'fleet' | 'nowMs'>): string | undefined {
  const pause = freezeOf(fleet, formatInstant(nowMs));
  return pause.kind === 'paused' ? pause.endsWhen : undefined;
}

/** One line for each stage, group, change of versions and maintenance window. */
function upgradesOf(
  { stages, next }: Opened<ClusterAhead>,
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
  const ahead = stages.length > 0 || next?.stage === undefined ? stages : [next.stage];
  const alike = Map.groupBy(
    ahead.flatMap(({ clusters }) => clusters),
    ({ clusterName, stage, group }) =>
      [
        stage.name,
        group.name,
        `${changeText(run, facts.observations.get(clusterName)?.versions)}; ${windowOf(clusterName)}`,
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
