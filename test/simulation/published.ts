import type { Eviction } from '../../src/api/eviction.ts';
import type { PlacementState } from '../../src/api/placement-state.ts';
import type { StagedUpdateRun } from '../../src/api/staged.ts';
import { carriedOut, type Decision } from './decisions.ts';
import { parsed } from './parsed.ts';

export interface Standing {
  /** When it was published, milliseconds. */
  readonly at: number;
  /** The daemon that published it. */
  readonly by: number;
  /** The commit of people that it was decided for. */
  readonly commit: string | undefined;
  /** Clusters that were told to be in the fleet. */
  readonly members: ReadonlySet<string>;
  /** Clusters that the placement is bound to, and the snapshot and overrides that each should run. */
  readonly bound: ReadonlyMap<string, string | undefined>;
  /** The same, of those too that it is to leave. */
  readonly held: ReadonlyMap<string, string | undefined>;
  /** Those of them that were known to be available. */
  readonly available: ReadonlySet<string>;
  /** The same, of those too that it is to leave. */
  readonly serving: ReadonlySet<string>;
  /** Those that it is being taken off, and which of them were available until then. */
  readonly deleting: ReadonlyMap<string, string | undefined>;
  readonly availableBefore: ReadonlySet<string>;
  /** Those that it was evicted from with this. */
  readonly evicted: ReadonlySet<string>;
  /** Those of them that were told to run what they were found with after the record was lost, or resources without the app. */
  readonly asFound: ReadonlySet<string>;
}

/** What was ever published on the status branch, read as a stranger would: from its files alone. */
export interface Published {
  /** The branch was moved to these files. */
  moved(files: Readonly<Record<string, string>>, by: number): void;
  /** Whether a snapshot with this image was published for an app. */
  knows(app: string, image: string): boolean;
  /** Clusters that the app is bound to now. */
  bound(app: string): readonly string[];
  /** What was known when it was decided what a cluster should run now. */
  decided(app: string, cluster: string): Decided;
  /** Images that a run brings, by the snapshot it names. A run without a snapshot of its own brings none. */
  broughtBy(run: string): readonly string[];
  /**
   * Whether a run brings this image to the cluster before anybody is asked: in its first stage, of which a cluster stays whatever
   * its labels become, or anywhere if that stage had nobody to go through it.
   */
  ungated(app: string, image: string, cluster: string): boolean;
  /** Fewest clusters that the app was bound to since it was decided what the cluster should run now. */
  fewest(app: string, cluster: string): number;
  /** Since when the cluster has been told, whatever the version, to run the app; undefined where it is not, or as it was found. */
  wantedSince(app: string, cluster: string): number | undefined;
  /** All clusters that the app was bound to since then. */
  boundSince(app: string, cluster: string): ReadonlySet<string>;
  /** Commits for which anything was told since then. */
  commitsSince(app: string, cluster: string): readonly (string | undefined)[];
  /** Whether the app was evicted from the cluster, and not seen there since. */
  wasEvicted(app: string, cluster: string): boolean;
  /** Whether the app was being taken off the cluster by the last that was told for a commit like this. */
  isLeaving(app: string, cluster: string, isLike: (commit: string | undefined) => boolean): boolean;
  /** The branch is gone: what is told next need not agree with what was told. */
  lost(): void;
  /** A file that the branch holds. */
  file(path: string): string | undefined;
  /** The commit of people that it tells of. */
  commit(): string | undefined;
}

export interface Decided {
  /** Whether the app was last told to be available there. */
  readonly available: boolean;
  /** Since when it had been told so, and when it was decided, milliseconds. */
  readonly since: number;
  readonly at: number;
  /** The daemon that decided it, and the commit that it was decided for. */
  readonly by: number | undefined;
  readonly commit: string | undefined;
  /** When that daemon had told the opposite, if it was the last that it told of this: it may not see what others see since. */
  readonly doubtedAt: number;
  /** Clusters of the app that were told not to be available when it was decided, and not to be since. */
  readonly reportedDown: ReadonlySet<string>;
  /** Clusters that had, by all that was known, whatever they were found with, or nothing of the app. */
  readonly asFound: ReadonlySet<string>;
}

export function published(
  now: () => number,
  judge: (decision: Decision) => void,
  /** What of the branch was and is, and the commit of people that it is for. */
  judgeRuns: (before: Files, after: Files, commit: string | undefined) => void = () => {},
): Published {
  const images = new Map<string, Set<string>>();
  const ungated = new Set<string>();
  const history = new Map<string, Standing[]>();
  const evicted = new Set<string>();
  let last: Files = {};
  /** Nothing was published since the branch was lost: a daemon may publish what it remembers, which is older. */
  let isLost = false;
  /** Apps of which was told since the branch was lost. */
  let told = new Set<string>();
  let commit: string | undefined;

  function standing(
    app: string,
    files: Readonly<Record<string, string>>,
    from: { readonly by: number; readonly evicted: ReadonlySet<string> },
  ): Standing {
    const state = parsed(files[`placements/${app}/state.yaml`]!) as PlacementState;
    const leaving = (state.bindings ?? []).filter(({ deleting }) => deleting === true);
    const staying = (state.bindings ?? []).filter(({ deleting }) => !deleting);
    const live = staying.filter(({ state }) => state !== 'Unscheduled');
    const isAvailable = ({ conditions = [] }: (typeof live)[number]): boolean =>
      conditions.some(({ type, status }) => type === 'Available' && status === 'True');
    const lost = new Set((state.resourceSnapshots ?? []).filter(({ hash }) => hash === 'lost').map((it) => it.index));
    const isAsFound = ({ resourceSnapshotIndex: index }: (typeof live)[number]): boolean =>
      index !== undefined &&
      (lost.has(index) || imagesIn(files[`placements/${app}/snapshots/${index}.yaml`] ?? '').length === 0);
    return {
      at: now(),
      ...from,
      commit: commitOf(files),
      members: new Set(Object.keys(files).flatMap((path) => /^clusters\/(.+)\.yaml$/.exec(path)?.[1] ?? [])),
      deleting: new Map(leaving.map((entry) => [entry.targetCluster, whatOf(entry)])),
      availableBefore: new Set(leaving.filter(isAvailable).map(({ targetCluster }) => targetCluster)),
      available: new Set(live.filter(isAvailable).map(({ targetCluster }) => targetCluster)),
      serving: new Set(staying.filter(isAvailable).map(({ targetCluster }) => targetCluster)),
      asFound: new Set(live.filter(isAsFound).map(({ targetCluster }) => targetCluster)),
      bound: new Map(live.map((entry) => [entry.targetCluster, whatOf(entry)])),
      held: new Map(staying.map((entry) => [entry.targetCluster, whatOf(entry)])),
    };
  }

  function stands(app: string, files: Readonly<Record<string, string>>, by: number, newly: readonly Spec[]): void {
    const all = history.get(app) ?? [];
    const mine = newly.filter(({ placementName }) => placementName === app).map(({ clusterName }) => clusterName);
    const after = standing(app, files, { by, evicted: new Set(mine) });
    judge({ app, before: told.has(app) ? all.at(-1) : undefined, after });
    told.add(app);
    history.set(app, [...all, after]);
    for (const cluster of after.available) evicted.delete(`${app}/${cluster}`);
    for (const cluster of mine) evicted.add(`${app}/${cluster}`);
  }

  function broughtBy(run: string, files: Readonly<Record<string, string>>): string[] {
    const { spec, status } = parsed(files[`runs/${run}.yaml`] ?? '{}') as Partial<StagedUpdateRun>;
    const snapshot = `placements/${spec?.placementName}/snapshots/${status?.resourceSnapshotIndexUsed}.yaml`;
    return imagesIn(files[snapshot] ?? '');
  }

  /** From what stood when it was decided what the cluster should run now, until now; the latest first. */
  function sinceDecided(app: string, cluster: string): Standing[] {
    const all = [...(history.get(app) ?? [])].reverse();
    const now = all[0]?.bound;
    const before = all.findIndex(
      ({ bound }) => bound.has(cluster) !== now?.has(cluster) || bound.get(cluster) !== now?.get(cluster),
    );
    return before < 0 ? all : all.slice(0, before + 1);
  }

  return {
    moved(files, by) {
      const before = carriedOut(last);
      const newly = [...carriedOut(files)].flatMap(([path, spec]) => (before.has(path) ? [] : spec));
      for (const [path, text] of Object.entries(files)) {
        const run = /^runs\/([^/]+)\.yaml$/.exec(path)?.[1];
        if (run !== undefined && last[path] !== text) {
          const first = stagesIn(text).find(({ stageName }) => stageName === 'dev');
          for (const image of broughtBy(run, files)) {
            const brings = `${run.replace(/-v\d+$/, '')}/${image}`;
            if (first?.clusters.length === 0) ungated.add(brings);
            for (const { clusterName } of first?.clusters ?? []) ungated.add(`${brings}/${clusterName}`);
          }
        }
        const [, app, file] = /^placements\/([^/]+)\/(.+)$/.exec(path) ?? [];
        if (app === undefined || file === undefined || last[path] === text) continue;
        if (file === 'state.yaml') stands(app, files, by, newly);
        else if (file.startsWith('snapshots/')) {
          const known = images.get(app) ?? new Set();
          images.set(app, known);
          for (const image of imagesIn(text)) known.add(image);
        }
      }
      judgeRuns(isLost ? {} : last, files, commitOf(files));
      last = files;
      isLost = false;
      commit = commitOf(files);
    },
    commit: () => commit,
    knows: (app, image) => images.get(app)?.has(image) ?? false,
    bound: (app) => [...(history.get(app)?.at(-1)?.bound.keys() ?? [])],
    broughtBy: (run) => broughtBy(run, last),
    ungated: (app, image, cluster) => ungated.has(`${app}/${image}`) || ungated.has(`${app}/${image}/${cluster}`),
    decided(app, cluster) {
      const all = [...(history.get(app) ?? [])].reverse();
      // What is to go is decided to go when it is, however long it has waited for that.
      const present = all[0]?.held.get(cluster);
      const last = all.findIndex(({ held }) => held.has(cluster) && held.get(cluster) !== present);
      const told = last < 0 ? [] : all.slice(last);
      const firstNot = told.findIndex(({ serving }) => !serving.has(cluster));
      const sinceThen = firstNot < 0 ? told : told.slice(0, firstNot);
      const decision = all[last - 1];
      const lastOwn = told.find(({ by }) => by === decision?.by);
      return {
        available: sinceThen.length > 0,
        since: sinceThen.at(-1)?.at ?? 0,
        at: decision?.at ?? 0,
        by: decision?.by,
        commit: decision?.commit,
        doubtedAt: lastOwn?.serving.has(cluster) === false ? lastOwn.at : Number.NEGATIVE_INFINITY,
        reportedDown: new Set(
          // What is evicted with it is evicted after it.
          [...(decision?.bound.keys() ?? [])].filter(
            (name) =>
              !decision?.evicted.has(name) &&
              all.slice(0, Math.max(last, 0)).every(({ available }) => !available.has(name)),
          ),
        ),
        asFound: decision?.asFound ?? new Set(),
      };
    },
    fewest: (app, cluster) => Math.min(...sinceDecided(app, cluster).map(({ bound }) => bound.size)),
    wantedSince(app, cluster) {
      const all = [...(history.get(app) ?? [])].reverse();
      const before = all.findIndex(({ bound, asFound }) => bound.get(cluster) === undefined || asFound.has(cluster));
      return (before < 0 ? all : all.slice(0, before)).at(-1)?.at;
    },
    boundSince: (app, cluster) => new Set(sinceDecided(app, cluster).flatMap(({ bound }) => [...bound.keys()])),
    commitsSince: (app, cluster) => sinceDecided(app, cluster).map(({ commit }) => commit),
    wasEvicted: (app, cluster) => evicted.has(`${app}/${cluster}`),
    isLeaving: (app, cluster, isLike) =>
      history
        .get(app)
        ?.findLast(({ commit }) => isLike(commit))
        ?.deleting.has(cluster) ?? false,
    lost() {
      told = new Set();
      isLost = true;
    },
    file: (path) => last[path],
  };
}

type Spec = Eviction['spec'];
type Files = Readonly<Record<string, string>>;

const commitOf = (files: Readonly<Record<string, string>>): string | undefined =>
  (parsed(files['summary.yaml'] ?? '{}') as { commit?: string }).commit;

/** Of a cluster that was given nothing yet undefined. */
const whatOf = (binding: PlacementState['bindings'][number]): string | undefined =>
  binding.resourceSnapshotIndex === undefined
    ? undefined
    : [
        binding.resourceSnapshotIndex,
        ...(binding.clusterResourceOverrideSnapshots ?? []),
        ...(binding.resourceOverrideSnapshots ?? []).map(({ namespace, name }) => `${namespace}/${name}`),
      ].join(' ');

const imagesIn = (text: string): string[] => [...text.matchAll(/app:\d+/g)].map(([image]) => image);

const stagesIn = (run: string): NonNullable<NonNullable<StagedUpdateRun['status']>['stagesStatus']> =>
  (parsed(run) as Partial<StagedUpdateRun>).status?.stagesStatus ?? [];
