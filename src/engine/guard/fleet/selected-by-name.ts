import type { Placement, ResourceSelector } from '../../../api/placement.ts';
import type { HubObject } from '../../input.ts';
import { nameOf } from '../evidence/snapshot-objects.ts';

/**
 * Objects of the repo that a placement certainly selects: by their name, or with a namespace that it selects by name. Objects
 * selected by labels, and those in envelopes, are not considered.
 */
export function selectedByName(resources: readonly HubObject[], placement: Placement): readonly string[] {
  const { resourceSelectors } = placement.spec;
  return resources
    .filter((object) => resourceSelectors.some((selector) => selects(selector, placement, object)))
    .map(({ manifest: { apiVersion, kind, metadata } }) => nameOf(apiVersion, kind, metadata.namespace, metadata.name));
}

function selects(selector: ResourceSelector, placement: Placement, { manifest, scope }: HubObject): boolean {
  const { apiVersion, kind, metadata } = manifest;
  const inNamespace = scope === 'Namespaced' ? metadata.namespace : undefined;
  const { group, name } = selector;
  if (inNamespace !== undefined && placement.kind === 'ClusterResourcePlacement')
    return (
      group === '' &&
      selector.kind === 'Namespace' &&
      selector.selectionScope === 'NamespaceWithResources' &&
      name === inNamespace
    );
  const own = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return (
    inNamespace === placement.metadata.namespace && group === own && selector.kind === kind && name === metadata.name
  );
}
