import type { ObjectRef } from '../../api/meta.ts';
import { type Fleet, writtenPlacements } from '../../engine/input.ts';
import { onceFor } from '../../engine/kernel/once-for.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { isInScope, selectorsOf } from './override-scopes.ts';

/** A name in an object of the repo. */
interface Reference {
  readonly from: ObjectRef;
  /** Dotted, inside the object that names it. */
  readonly path: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** The names that there are. */
  readonly among: ReadonlySet<string>;
}

/** Every name of another object in placements, overrides, runs, evictions and budgets. */
export const references = (fleet: Fleet): Reference[] => [
  ...ofPlacements(fleet),
  ...ofOverrides(fleet),
  ...ofRuns(fleet),
  ...ofEvictions(fleet),
];

function ofPlacements({ placements, members, resources }: Fleet): Reference[] {
  const selectable = byKind(resources);
  return placements.flatMap(({ apiVersion, kind, metadata, spec }) => {
    const from = { apiVersion, kind, ...metadata };
    const { namespace } = metadata;
    return [
      ...(spec.policy.clusterNames ?? []).map((name, at) => ({
        ...clusterNamed(name, members),
        from,
        path: `spec.policy.clusterNames.${at}`,
      })),
      ...spec.resourceSelectors.flatMap((selector, at) =>
        selector.name === undefined
          ? []
          : [{ ...objectNamed(selector, namespace, selectable), from, path: `spec.resourceSelectors.${at}.name` }],
      ),
    ];
  });
}

function ofOverrides(fleet: Fleet): Reference[] {
  const { overrides, resources } = fleet;
  const selectable = byKind(resources);
  const placements = placementsNamed(fleet);
  return overrides.flatMap((override) => {
    const { apiVersion, kind, metadata, spec } = override;
    const from = { apiVersion, kind, ...metadata };
    const { namespace } = metadata;
    const of = spec.placement;
    const scope = of?.scope === 'Namespaced' ? namespace : undefined;
    return [
      ...(of ? [{ ...placementNamed(of.name, scope, placements), from, path: 'spec.placement.name' }] : []),
      ...selectorsOf(override).flatMap((selector) =>
        // Where there is one, another kind of override is needed, which is told.
        isInScope(override, selector, fleet)
          ? [{ ...objectNamed(selector, namespace, selectable), from, path: `${selector.path}.name` }]
          : [],
      ),
    ];
  });
}

function ofRuns(fleet: Fleet): Reference[] {
  const { runs, strategies } = fleet;
  const placements = placementsNamed(fleet);
  return runs.flatMap(({ apiVersion, kind, metadata, spec }) => {
    const from = { apiVersion, kind, ...metadata };
    const { namespace } = metadata;
    const strategy = kind === 'ClusterStagedUpdateRun' ? 'ClusterStagedUpdateStrategy' : 'StagedUpdateStrategy';
    return [
      { ...placementNamed(spec.placementName, namespace, placements), from, path: 'spec.placementName' },
      {
        from,
        path: 'spec.stagedRolloutStrategyName',
        kind: strategy,
        namespace,
        name: spec.stagedRolloutStrategyName,
        among: new Set(
          strategies.flatMap((one) =>
            one.kind === strategy && one.metadata.namespace === namespace ? [one.metadata.name] : [],
          ),
        ),
      },
    ];
  });
}

function ofEvictions(fleet: Fleet): Reference[] {
  const { evictions, budgets, members } = fleet;
  const placements = placementsNamed(fleet);
  return [
    ...evictions.flatMap(({ apiVersion, kind, metadata, spec }) => {
      const from = { apiVersion, kind, name: metadata.name };
      return [
        { ...placementNamed(spec.placementName, undefined, placements), from, path: 'spec.placementName' },
        { ...clusterNamed(spec.clusterName, members), from, path: 'spec.clusterName' },
      ];
    }),
    // A budget is that of the placement of its name.
    ...budgets.map(({ apiVersion, kind, metadata: { name } }) => ({
      ...placementNamed(name, undefined, placements),
      from: { apiVersion, kind, name },
      path: 'metadata.name',
    })),
  ];
}

type Named = Omit<Reference, 'from' | 'path'>;

const clusterNamed = (name: string, members: Fleet['members']): Named => ({
  kind: 'MemberCluster',
  namespace: undefined,
  name,
  among: namesIn(members).get(undefined) ?? none,
});

/** One that is being deleted is in the repo still, and its own file is told. */
const placementsNamed = (fleet: Fleet): Fleet['placements'] => [...writtenPlacements(fleet).values()];

/** Names by namespace. A placement may name every cluster, and each is looked up. */
const namesIn = onceFor(
  (objects: Fleet['members'] | Fleet['placements']): ReadonlyMap<string | undefined, ReadonlySet<string>> =>
    new Map(
      [...Map.groupBy<string | undefined, (typeof objects)[number]>(objects, ({ metadata }) => metadata.namespace)].map(
        ([namespace, of]) => [namespace, new Set(of.map(({ metadata }) => metadata.name))],
      ),
    ),
);

const none: ReadonlySet<string> = new Set();

const placementNamed = (name: string, namespace: string | undefined, placements: Fleet['placements']): Named => ({
  kind: namespace === undefined ? 'ClusterResourcePlacement' : 'ResourcePlacement',
  namespace,
  name,
  among: namesIn(placements).get(namespace) ?? none,
});

/** Selectable names by group, kind and namespace. */
type Selectable = ReadonlyMap<string, ReadonlySet<string>>;

function byKind(resources: Fleet['resources']): Selectable {
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

const objectNamed = (
  { group, kind, name }: { readonly group: string; readonly kind: string; readonly name?: string | undefined },
  namespace: string | undefined,
  selectable: Selectable,
): Named => ({
  kind,
  namespace,
  name: name ?? '',
  among: selectable.get(keyOf(group, kind, namespace)) ?? none,
});
