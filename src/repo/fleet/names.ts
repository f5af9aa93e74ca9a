import type { Override } from '../../api/override.ts';
import { nearest } from '../../api/syntax.ts';
import { type Fleet, writtenPlacements } from '../../engine/input.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { builtInKinds } from '../../engine/selection/scope.ts';
import { isInScope, selectorsOf } from './override-scopes.ts';

/** A reference to another object. */
export interface Reference extends Named {
  /** Dotted, inside the referring object. */
  readonly path: string;
  /** What follows while nothing has the name, for the warning: `so the placement leaves it out`. */
  readonly without?: string;
}

/** The referenced name, and the existing names of that kind and namespace. */
export interface Named {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly among: ReadonlySet<string>;
  /** The kind that is most likely meant, where there is no such kind. */
  readonly kindMeant?: string | undefined;
}

/** Looks up the objects that fleet objects may refer to. */
export interface Names {
  cluster(name: string): Named;
  /** Cluster-scoped if there is no namespace. */
  placement(name: string, namespace: string | undefined): Named;
  /** A strategy of staged updates; cluster-scoped if there is no namespace. */
  strategy(name: string, namespace: string | undefined): Named;
  /** A strategy of cluster update runs. */
  upgradeStrategy(name: string): Named;
  upgradeRun(name: string): Named;
  /** A manifest under resources/. */
  resource(selected: Selected, namespace: string | undefined): Named;
  /** The selectors of an override that are in its scope; `misscopedSelectors` warns about the others. */
  selectorsInScope(override: Override): ReturnType<typeof selectorsOf>;
}

interface Selected {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** Indexes the names of a fleet once, since a placement may name every cluster. */
export function namesIn(fleet: Fleet): Names {
  const clusters = byNamespace(fleet.members);
  // Includes placements being deleted: they are in the repo, and have their own warning.
  const placements = byNamespace([...writtenPlacements(fleet).values()]);
  const strategies = byNamespace(fleet.strategies);
  const upgradeStrategies = byNamespace(fleet.upgradeStrategies);
  const upgradeRuns = byNamespace(fleet.upgradeRuns);
  const resources = byKind(fleet.resources);
  return {
    cluster: (name) => ({ kind: 'MemberCluster', namespace: undefined, name, among: clusters.get('') ?? none }),
    placement: (name, namespace) => ({
      kind: namespace === undefined ? 'ClusterResourcePlacement' : 'ResourcePlacement',
      namespace,
      name,
      among: placements.get(namespace ?? '') ?? none,
    }),
    strategy: (name, namespace) => ({
      kind: namespace === undefined ? 'ClusterStagedUpdateStrategy' : 'StagedUpdateStrategy',
      namespace,
      name,
      among: strategies.get(namespace ?? '') ?? none,
    }),
    upgradeStrategy: (name) => ({
      kind: 'UpdateStrategy',
      namespace: undefined,
      name,
      among: upgradeStrategies.get('') ?? none,
    }),
    upgradeRun: (name) => ({ kind: 'UpdateRun', namespace: undefined, name, among: upgradeRuns.get('') ?? none }),
    resource: ({ group, kind, name }, namespace) => ({
      kind,
      namespace,
      name,
      among: resources.get(keyOf(group, kind, namespace)) ?? none,
      kindMeant: builtInKinds(group).includes(kind) ? undefined : nearest(kind, builtInKinds(group)),
    }),
    selectorsInScope: (override) => selectorsOf(override).filter((selector) => isInScope(override, selector, fleet)),
  };
}

const none: ReadonlySet<string> = new Set();

interface WithName {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}

const byNamespace = (objects: readonly WithName[]): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    [...Map.groupBy(objects, ({ metadata }) => metadata.namespace ?? '')].map(([namespace, of]) => [
      namespace,
      new Set(of.map(({ metadata }) => metadata.name)),
    ]),
  );

function byKind(resources: Fleet['resources']): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const { manifest } of resources) {
    const { group } = groupVersionOf(manifest.apiVersion);
    const key = keyOf(group, manifest.kind, manifest.metadata.namespace);
    const there = names.get(key);
    if (there) there.add(manifest.metadata.name);
    else names.set(key, new Set([manifest.metadata.name]));
  }
  return names;
}

const keyOf = (group: string, kind: string, namespace: string | undefined): string =>
  `${group}/${kind}/${namespace ?? ''}`;
