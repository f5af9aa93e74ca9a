import { givesNamespace, type Placement, type ResourceSelector, selectsNamespaces } from '../../api/placement.ts';
import { nearest } from '../../api/syntax.ts';
import type { HubObject } from '../input.ts';
import { apiVersionOf, describeObject } from './group-version.ts';
import { type HubIndex, scopeOfKind } from './hub.ts';
import { labelled } from './labelled.ts';
import { isDisabledKind, isReservedNamespace } from './placeable.ts';
import { builtInKinds, groupMeant } from './scope.ts';

/** Objects, or what KubeFleet calls a user error; `message` is a clause without its subject. */
type Gathered =
  | { readonly ok: true; readonly objects: readonly HubObject[] }
  | { readonly ok: false; readonly message: string };

/** `selector`: position of the invalid one in the spec. */
export type GatheredAll =
  | { readonly ok: true; readonly objects: readonly HubObject[] }
  | { readonly ok: false; readonly message: string; readonly selector: number };

/**
 * All objects that the selectors select, in no particular order, each once. The first invalid selector decides the error
 * (KubeFleet resource_selector_resolver.go).
 */
export function gather(placement: Placement, hub: HubIndex): GatheredAll {
  const { resourceSelectors } = placement.spec;
  const within = namespaceOf(placement, hub);
  if (!within.ok) return { ...within, selector: resourceSelectors.findIndex(givesNamespace) };
  const found = new Set<HubObject>();
  for (const [at, selector] of resourceSelectors.entries()) {
    if (isDisabledKind(selector.group, selector.version, selector.kind)) continue;
    const gathered = selectsNamespaces(selector)
      ? namespaces(selector, placement, hub)
      : objects(selector, placement, hub, within.namespace);
    if (!gathered.ok) return { ...gathered, selector: at };
    for (const object of gathered.objects) {
      if (found.has(object))
        return {
          ...wrong(`found duplicate resource: ${describeObject(object.manifest)} is selected more than once`),
          selector: at,
        };
      found.add(object);
    }
  }
  return { ok: true, objects: [...found] };
}

const wrong = (message: string): { readonly ok: false; readonly message: string } => ({ ok: false, message });

/** The namespace for namespaced kinds: a ResourcePlacement's own, or the one selected with NamespaceWithResourceSelectors. */
function namespaceOf(
  placement: Placement,
  hub: HubIndex,
): { readonly ok: true; readonly namespace: string | undefined } | { readonly ok: false; readonly message: string } {
  if (placement.kind === 'ResourcePlacement') return { ok: true, namespace: placement.metadata.namespace ?? '' };
  const selector = placement.spec.resourceSelectors.find(givesNamespace);
  if (!selector) return { ok: true, namespace: undefined };
  const names = ofKind(selector, hub, undefined)
    .map(({ manifest }) => manifest.metadata.name)
    .filter((name) => !isReservedNamespace(name));
  if (names.length === 1) return { ok: true, namespace: names[0] };
  const needs = 'NamespaceWithResourceSelectors needs exactly one namespace, but';
  if (names.length > 1) return wrong(`${needs} ${names.length} namespaces were selected`);
  const name = selector.name
    ? ` (${JSON.stringify(selector.name)} does not exist, is being deleted, or is reserved)`
    : '';
  return wrong(`${needs} no namespaces were selected${name}`);
}

function namespaces(selector: ResourceSelector, placement: Placement, hub: HubIndex): Gathered {
  if (placement.kind === 'ResourcePlacement') {
    return wrong('cannot select the cluster-scoped resource Namespace in a ResourcePlacement');
  }
  const selected = ofKind(selector, hub, undefined);
  if (selector.selectionScope !== 'NamespaceWithResources') return { ok: true, objects: selected };
  // A reserved name is rejected even if there is no such namespace, as in KubeFleet.
  const names = selector.name ? [selector.name] : selected.map(({ manifest }) => manifest.metadata.name);
  const reserved = names.filter(isReservedNamespace).sort()[0];
  if (reserved !== undefined) {
    return wrong(
      `namespace ${reserved} is not allowed to propagate: "default" and names that begin with "kube-" or "fleet-" are reserved`,
    );
  }
  return {
    ok: true,
    objects: selected.flatMap((object) => [object, ...(hub.namespaces.get(object.manifest.metadata.name) ?? [])]),
  };
}

function objects(
  selector: ResourceSelector,
  placement: Placement,
  hub: HubIndex,
  namespace: string | undefined,
): Gathered {
  const { group, version, kind } = selector;
  const groupKind = `${group}/${kind}`;
  const scope = scopeOfKind(hub, group, kind);
  if (scope === undefined) {
    const known = builtInKinds(group);
    const home = groupMeant(group, kind);
    // An API server does not resolve a misspelt kind of Kubernetes. Selecting nothing would mean "remove them all".
    if (known.length > 0 || home !== undefined) {
      const like = nearest(kind, known);
      const of = group === '' ? 'the core group' : group;
      const hint = like ? `: did you mean ${like}?` : home === undefined ? '' : `: write group: ${home || '""'}`;
      return wrong(`there is no kind ${kind} in ${of}${hint}`);
    }
    // The scope of this kind is unknown: no such object, no CRD, not built in. Like KubeFleet, select nothing, so that the last
    // object of a kind can be removed. (KubeFleet's hub still has the CRD then.)
    return { ok: true, objects: [] };
  }
  if (placement.kind === 'ResourcePlacement' && scope === 'Cluster') {
    return wrong(`cannot select the cluster-scoped resource ${groupKind} in a ResourcePlacement`);
  }
  if (scope === 'Namespaced' && namespace === undefined) {
    return wrong(
      `cannot select the namespace-scoped resource ${groupKind} without a selected namespace: add a Namespace selector by name with selectionScope NamespaceWithResourceSelectors, or use a ResourcePlacement`,
    );
  }
  const versions = hub.versions.get(groupKind);
  if (versions && !versions.includes(version)) {
    // A hub converts between versions, a repo cannot. Selecting nothing would mean "remove them all".
    const held = versions.map((held) => apiVersionOf(group, held)).join(', ');
    return wrong(
      `no ${kind} of ${apiVersionOf(group, version)} is under resources/, only ${held}: select that version`,
    );
  }
  return { ok: true, objects: ofKind(selector, hub, scope === 'Namespaced' ? namespace : undefined) };
}

/** By name, by labels, or all of the kind. A name that does not exist selects nothing and is not an error. */
function ofKind(selector: ResourceSelector, hub: HubIndex, namespace: string | undefined): readonly HubObject[] {
  const kind = hub.kinds.get(`${apiVersionOf(selector.group, selector.version)} ${selector.kind}`);
  if (!kind) return [];
  if (selector.name) {
    const object = kind.byName.get(`${namespace ?? ''}/${selector.name}`);
    return object ? [object] : [];
  }
  return labelled(
    namespace === undefined ? kind.objects : (kind.byNamespace.get(namespace) ?? []),
    selector.labelSelector,
  );
}
