import type { Issue } from '../../api/issue.ts';
import type { FleetObject } from '../../api/kinds.ts';
import type { Manifest } from '../../api/meta.ts';
import type { Override } from '../../api/override.ts';
import { at } from '../../engine/kernel/at.ts';
import { pointerTokens } from '../../engine/kernel/json-pointer.ts';
import { objectKeys, selectorKeys } from '../../engine/overrides/lookup.ts';

interface Addition {
  readonly tokens: readonly string[];
  readonly value: unknown;
}

/** Whether overrides add a field to an object on every cluster. Envelopes are left alone. */
export function addedFields(objects: readonly FleetObject[]): (manifest: Manifest, path: Issue['path']) => boolean {
  const additions = new Map<string, Addition[]>();
  for (const override of objects.filter(isOverride)) {
    const added = additionsOf(override);
    for (const key of selectorKeys({ metadata: override.metadata, overrideSpec: override.spec }))
      additions.set(key, [...(additions.get(key) ?? []), ...added]);
  }
  if (additions.size === 0) return () => false;
  return (manifest, path) => {
    const { cluster, namespaced } = objectKeys(manifest);
    const ofObject = [cluster, namespaced ?? ''].flatMap((key) => additions.get(key) ?? []);
    return ofObject.some(({ tokens, value }) => {
      const isAbove = tokens.every((token, index) => token === String(path[index]));
      return isAbove && (at(value, ...path.slice(tokens.length)) ?? null) !== null;
    });
  };
}

const isOverride = (object: FleetObject): object is Override =>
  object.kind === 'ResourceOverride' || object.kind === 'ClusterResourceOverride';

const additionsOf = ({ spec }: Override): Addition[] =>
  spec.policy.overrideRules
    .filter(({ clusterSelector }) => clusterSelector?.clusterSelectorTerms.length === 0)
    .flatMap(({ jsonPatchOverrides = [] }) => jsonPatchOverrides)
    .filter(({ op }) => op !== 'remove')
    .map(({ path, value }) => ({ tokens: pointerTokens(path), value }));
