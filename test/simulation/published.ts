import { parse } from 'yaml';
import type { PlacementState } from '../../src/api/placement-state.ts';

interface Standing {
  /** Clusters that the placement is bound to, and the snapshot that each should run. */
  readonly bound: ReadonlyMap<string, number | undefined>;
  /** Those of them that were known to be available. */
  readonly available: ReadonlySet<string>;
}

/** What was ever published on the status branch, read as a stranger would: from its files alone. */
export interface Published {
  /** The branch was moved to these files. */
  moved(files: Readonly<Record<string, string>>): void;
  /** Whether a snapshot with this image was published for an app. */
  knows(app: string, image: string): boolean;
  /** Clusters that the app is bound to now. */
  bound(app: string): readonly string[];
  /** Whether the app was known to be available on a cluster when it was decided what the cluster should run now. */
  believed(app: string, cluster: string): boolean;
  /** True when the first stage of a run had nobody to go through it, so that there was nothing to approve. */
  ungated(run: string): boolean;
  /** Fewest clusters that the app was bound to since it was decided what the cluster should run now. */
  fewest(app: string, cluster: string): number;
}

export function published(): Published {
  const images = new Map<string, Set<string>>();
  const empty = new Set<string>();
  const history = new Map<string, Standing[]>();
  let last: Readonly<Record<string, string>> = {};

  function standing(text: string): Standing {
    const state = parse(text) as PlacementState;
    const live = (state.bindings ?? []).filter(({ state, deleting }) => state !== 'Unscheduled' && !deleting);
    const isAvailable = ({ conditions = [] }: (typeof live)[number]): boolean =>
      conditions.some(({ type, status }) => type === 'Available' && status === 'True');
    return {
      available: new Set(live.filter(isAvailable).map(({ targetCluster }) => targetCluster)),
      bound: new Map(live.map((entry) => [entry.targetCluster, entry.resourceSnapshotIndex])),
    };
  }

  return {
    moved(files) {
      for (const [path, text] of Object.entries(files)) {
        const run = /^runs\/([^/]+)\.yaml$/.exec(path)?.[1];
        if (run !== undefined && last[path] !== text && /stageName: dev\n +clusters: \[\]\n/.test(text)) empty.add(run);
        const [, app, file] = /^placements\/([^/]+)\/(.+)$/.exec(path) ?? [];
        if (app === undefined || file === undefined || last[path] === text) continue;
        if (file === 'state.yaml') history.set(app, [...(history.get(app) ?? []), standing(text)]);
        else if (file.startsWith('snapshots/')) {
          const known = images.get(app) ?? new Set();
          images.set(app, known);
          for (const [image] of text.matchAll(/app:\d+/g)) known.add(image);
        }
      }
      last = files;
    },
    knows: (app, image) => images.get(app)?.has(image) ?? false,
    bound: (app) => [...(history.get(app)?.at(-1)?.bound.keys() ?? [])],
    ungated: (run) => empty.has(run),
    believed(app, cluster) {
      const all = [...(history.get(app) ?? [])].reverse();
      const now = all[0]?.bound.get(cluster);
      const before = all.find(({ bound }) => bound.has(cluster) && bound.get(cluster) !== now);
      return before?.available.has(cluster) ?? false;
    },
    fewest(app, cluster) {
      const all = history.get(app) ?? [];
      const now = all.at(-1)?.bound.get(cluster);
      const here = all.at(-1)?.bound.has(cluster) ?? false;
      let fewest = Number.POSITIVE_INFINITY;
      for (const { bound } of [...all].reverse()) {
        fewest = Math.min(fewest, bound.size);
        if (bound.has(cluster) !== here || bound.get(cluster) !== now) break;
      }
      return fewest;
    },
  };
}
