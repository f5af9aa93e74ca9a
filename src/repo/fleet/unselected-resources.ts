import type { Problem } from '../../api/problem.ts';
import { nearest } from '../../api/syntax.ts';
import type { Fleet, HubObject } from '../../engine/input.ts';
import { gather } from '../../engine/selection/gather.ts';
import { compileHub } from '../../engine/selection/hub.ts';
import { describeRef, refOfManifest } from '../../engine/selection/object-key.ts';
import { isReservedNamespace } from '../../engine/selection/placeable.ts';
import type { RepoTree } from '../tree.ts';
import { resourcePlaces } from './resource-places.ts';

/**
 * Warnings about resources that no placement selects, one for each namespace and for each cluster-scoped object. None while something
 * that may select them cannot be read or does not select what it names. They have the line of their object; `placeProblems` adds the
 * column.
 */
export async function unselectedResources(fleet: Fleet, tree: RepoTree): Promise<Problem[]> {
  const groups = Map.groupBy(unselected(fleet), ({ manifest: { metadata, kind } }) =>
    kind === 'Namespace' ? `${metadata.name}/` : metadata.namespace ? `${metadata.namespace}/` : metadata.name,
  );
  const firsts = [...groups.values()].map((group) => ({ object: group.find(isNamespace) ?? group[0]!, group }));
  const places = await resourcePlaces(
    firsts.map(({ object }) => object),
    tree,
  );
  return firsts.map(({ object, group }): Problem => {
    const { namespace } = group.find((it) => it !== object)?.manifest.metadata ?? {};
    const like = nearNamespace(object, fleet);
    const missing = like === undefined ? '' : `, and there is no Namespace ${object.manifest.metadata.namespace}`;
    const others = group.length === 1 ? '' : `, nor ${group.length - 1} more of namespace ${namespace}`;
    return {
      severity: 'warning',
      code: 'not-selected',
      file: object.file,
      ...places.get(object),
      path: 'metadata.name',
      message: `${describeRef(refOfManifest(object.manifest))}: no placement selects it${others}${missing}`,
      fix: like === undefined ? placeFix(object, fleet) : `did you mean ${like}?`,
    };
  });
}

/** Selecting a reserved namespace is refused, so its contents need a placement of their own. */
function placeFix({ manifest: { metadata } }: HubObject, { placements }: Fleet): string {
  const { namespace = '' } = metadata;
  if (isReservedNamespace(namespace))
    return `select it by a ResourcePlacement in namespace ${namespace}, or write another namespace`;
  return placements.length === 0
    ? 'the fleet has no placement: add one that selects it'
    : 'add a resource selector for it, or remove it';
}

/** The Namespace that a namespace without one most likely means. */
function nearNamespace({ manifest: { metadata } }: HubObject, { resources }: Fleet): string | undefined {
  const { namespace } = metadata;
  if (namespace === undefined) return undefined;
  const names = resources.filter(isNamespace).map(({ manifest }) => manifest.metadata.name);
  return names.includes(namespace) ? undefined : nearest(namespace, names);
}

const isNamespace = ({ manifest }: HubObject): boolean => manifest.kind === 'Namespace';

function unselected({ placements, resources, refused, unreadable, beingDeleted }: Fleet): HubObject[] {
  const mayBeMissing = refused.some(({ kind }) => kind.endsWith('ResourcePlacement')) || beingDeleted.length > 0;
  if (unreadable.length > 0 || mayBeMissing) return [];
  // A misspelt name is reported where it is written, and would be reported again for each object it was to select.
  const names = new Set(resources.map(({ manifest: { kind, metadata } }) => `${kind} ${metadata.name}`));
  const isDangling = placements.some(({ spec }) =>
    spec.resourceSelectors.some(({ kind, name }) => name !== undefined && !names.has(`${kind} ${name}`)),
  );
  if (isDangling) return [];
  const hub = compileHub(resources);
  const selected = new Set<HubObject>();
  for (const placement of placements) {
    const gathered = gather(placement, hub);
    if (!gathered.ok) return [];
    for (const object of gathered.objects) selected.add(object);
  }
  // No placement may select these, and every cluster has them.
  const isReserved = (object: HubObject): boolean =>
    isNamespace(object) && isReservedNamespace(object.manifest.metadata.name);
  return [...hub.kinds.values()]
    .flatMap(({ objects }) => objects)
    .filter((object) => !selected.has(object) && !isReserved(object));
}
