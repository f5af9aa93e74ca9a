import {
  type ClusterResourceOverride,
  clusterResourceOverride,
  type ResourceOverride,
  resourceOverride,
} from '../../../src/api/override.ts';
import type { OverrideHistory } from '../../../src/engine/overrides/snapshots.ts';
import { snapshotOverrides } from '../../../src/engine/overrides/snapshots.ts';
import { digest } from '../selection/world.ts';

type Rule = Readonly<Record<string, unknown>>;
type Selector = { group?: string; version?: string; kind: string; name: string };
interface Spec {
  readonly placement?: { readonly name: string; readonly scope?: 'Cluster' | 'Namespaced' };
  readonly selects: readonly Selector[];
  readonly rules: readonly Rule[];
}

const selectors = (terms: readonly Selector[]) => terms.map((term) => ({ group: '', version: 'v1', ...term }));

export const cro = (name: string, { placement, selects, rules }: Spec): ClusterResourceOverride =>
  clusterResourceOverride.parse({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterResourceOverride',
    metadata: { name },
    spec: {
      ...(placement ? { placement } : {}),
      clusterResourceSelectors: selectors(selects),
      policy: { overrideRules: rules },
    },
  });

export const ro = (path: string, { placement, selects, rules }: Spec): ResourceOverride => {
  const [namespace, name] = path.split('/');
  return resourceOverride.parse({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ResourceOverride',
    metadata: { name, namespace },
    spec: {
      ...(placement ? { placement } : {}),
      resourceSelectors: selectors(selects),
      policy: { overrideRules: rules },
    },
  });
};

export const everywhere = { clusterSelector: { clusterSelectorTerms: [] } };
export const where = (matchLabels: Readonly<Record<string, string>>) => ({
  clusterSelector: { clusterSelectorTerms: [{ labelSelector: { matchLabels } }] },
});
export const patch = (...jsonPatchOverrides: readonly Rule[]) => ({ jsonPatchOverrides });
export const addLabel = (key: string, value: unknown = 'yes') =>
  patch({ op: 'add', path: '/metadata/labels', value: { [key]: value } });

export const historyOf = (
  overrides: readonly (ClusterResourceOverride | ResourceOverride)[],
  recorded: OverrideHistory = new Map(),
): OverrideHistory =>
  snapshotOverrides({ commit: 'c0ffee', overrides, recorded, digest, refused: [], unreadable: [], inUse: new Set() });
