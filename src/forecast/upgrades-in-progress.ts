import type { ClusterName, Timestamp } from '../api/meta.ts';
import type { Fleet, PlanInput } from '../engine/input.ts';
import { sameValue } from '../engine/kernel/same-value.ts';
import { isTerminal } from '../engine/upgrade/tree.ts';
import type { StoppedRun } from './stopped-runs.ts';
import { clustersToUpgrade, type UpgradeForecast } from './upgrade-forecasts.ts';

/** A cluster update run in progress that goes otherwise with a change of the fleet repo. */
export interface ChangedUpgrade {
  readonly run: string;
  /** What ends it, as of a staged update run. `approval`: only that one of its gates is answered. Absent: it continues otherwise. */
  readonly by?: StoppedRun['by'] | 'approval';
  /** Clusters that it would upgrade, and leaves as they are. */
  readonly kept: readonly ClusterName[];
  /** Clusters whose upgrades start at other times. */
  readonly moved: readonly MovedUpgrade[];
}

export interface MovedUpgrade {
  readonly clusterName: ClusterName;
  /** When its upgrade starts without the change, and with it. Absent: not by the horizon. */
  readonly before?: Timestamp;
  readonly after?: Timestamp;
}

/** Names of cluster update runs in progress that a change may touch. */
export interface TouchedUpgrades {
  /** Its file is gone, or says `state: Stopped`. */
  readonly ended: ReadonlySet<string>;
  /** They continue, or one of their gates is rejected. */
  readonly going: ReadonlySet<string>;
  /** Of the latter those that only an answer to a gate touches. */
  readonly answered: ReadonlySet<string>;
}

/** `changed`: runs that a change adds or whose spec it changes. With them, others are supposed to be done before, or ended. */
export function touchedUpgrades(
  { fleet, record }: PlanInput,
  next: Fleet,
  changed: ReadonlySet<string>,
): TouchedUpgrades {
  const inProgress = fleet.upgradeRuns.flatMap(({ metadata: { name }, spec }) => {
    const status = record.upgrades.get(name)?.status;
    return spec.state === 'Started' && status !== undefined && !isTerminal(status) ? [name as string] : [];
  });
  if (inProgress.length === 0) return { ended: new Set(), going: new Set(), answered: new Set() };
  const files = new Map(next.upgradeRuns.map(({ metadata, spec }) => [metadata.name as string, spec]));
  const refused = new Set(next.refused.flatMap(({ kind, name }) => (kind === 'UpdateRun' ? [name] : [])));
  const isEnded = (name: string): boolean =>
    files.has(name) ? files.get(name)!.state === 'Stopped' : !refused.has(name);
  const ended = new Set(inProgress.filter(isEnded));
  const others = changed.size > 0 ? [] : inProgress.filter((name) => !ended.has(name));
  const answers = runsOfGates(next, fleet);
  const gates = answers.union(runsOfGates(fleet, next));
  const isTouched = !sameValue(readByRuns(fleet), readByRuns(next));
  const going = new Set(others.filter((name) => isTouched || gates.has(name)));
  return { ended, going, answered: isTouched ? new Set() : going.intersection(answers) };
}

/** What runs read besides their own files. */
const readByRuns = ({ members, maintenanceConfigurations, versionCatalogs, upgradeStrategies, config }: Fleet) => [
  members,
  maintenanceConfigurations,
  versionCatalogs,
  upgradeStrategies,
  config,
];

/** Runs with gates that another fleet does not have, or has otherwise. */
function runsOfGates({ gates }: Fleet, other: Fleet): ReadonlySet<string> {
  const known = new Map(other.gates.map((gate) => [gate.metadata.name, gate]));
  return new Set(
    gates.flatMap((gate) =>
      sameValue(gate, known.get(gate.metadata.name)) ? [] : [gate.spec.target.updateRunProperties.name],
    ),
  );
}

/** What a change makes of the runs that it touches, from their forecasts without it and with it. */
export function changedUpgrades(
  { ended, going, answered }: TouchedUpgrades,
  { before, after, next }: Readonly<Record<'before' | 'after', readonly UpgradeForecast[]>> & { readonly next: Fleet },
): ChangedUpgrade[] {
  const files = new Set(next.upgradeRuns.map(({ metadata }) => metadata.name as string));
  const planned = new Map(after.map((of) => [of.run, of]));
  return before.flatMap((was): ChangedUpgrade[] => {
    const { run } = was;
    const is = planned.get(run);
    if (!(ended.has(run) || going.has(run)) || sameValue(was, is)) return [];
    const by = ended.has(run)
      ? files.has(run)
        ? 'stop'
        : 'removal'
      : is?.status.error?.code === 'ApprovalRejected'
        ? 'rejection'
        : answered.has(run)
          ? 'approval'
          : undefined;
    const [startsBefore, startsAfter] = [startsOf(was), startsOf(is)];
    const isOver = ended.has(run) || by === 'rejection';
    // What is in flight ends either way.
    const goesOn = new Set(is && !isOver ? clustersToUpgrade(is) : startsAfter.keys());
    const all = [...new Set([...clustersToUpgrade(was), ...goesOn])];
    return [
      {
        run,
        ...(by && { by }),
        kept: all.filter((name) => !goesOn.has(name)),
        moved: all.flatMap((clusterName): MovedUpgrade[] => {
          const [old = [], now = []] = [startsBefore.get(clusterName), startsAfter.get(clusterName)];
          if (!goesOn.has(clusterName) || sameValue(old, now)) return [];
          return [{ clusterName, ...(old[0] && { before: old[0] }), ...(now[0] && { after: now[0] }) }];
        }),
      },
    ];
  });
}

function startsOf(upgrade: UpgradeForecast | undefined): ReadonlyMap<ClusterName, readonly Timestamp[]> {
  const spans = upgrade?.stages.flatMap(({ clusters }) => clusters) ?? [];
  const byCluster = Map.groupBy(spans, ({ clusterName }) => clusterName);
  return new Map([...byCluster].map(([name, of]) => [name, of.map(({ from }) => from)]));
}
