import type { Manifest } from '../../../../src/api/meta.ts';
import type { PlacementRef } from '../../../../src/api/placement.ts';
import { matchOverrides } from '../../../../src/engine/overrides/match.ts';
import { render } from '../../../../src/engine/overrides/render.ts';
import { digest, object } from '../../selection/world.ts';
import { everywhere, historyOf, patch, ro } from '../world.ts';

export const web: PlacementRef = { kind: 'ClusterResourcePlacement', name: 'web' };
export const eu = { name: 'eu-1', labels: { region: 'eu' } };
export const us = { name: 'us-1', labels: { region: 'us' } };
export const namespace = { kind: 'Namespace', name: 'shop' };
export const deployment = { group: 'apps', kind: 'Deployment', name: 'web' };
export const shop = (): Manifest[] => [
  object('v1 Namespace shop', {}, { labels: {} }),
  object('apps/v1 Deployment shop/web', { spec: { replicas: 1 }, odd: { field: true } }, { labels: {} }),
];

export type Overrides = Parameters<typeof historyOf>[0];
export function renderOn(
  cluster: typeof eu | typeof us,
  manifests: readonly Manifest[],
  overrides: Overrides = [],
  placement = web,
) {
  const history = historyOf(overrides);
  const lists = matchOverrides({ placement, manifests, history, cluster });
  return render({ placement, manifests, lists, history, cluster, digest });
}
/** The rendered manifests without our marks, or the message. */
export function plain(...args: Parameters<typeof renderOn>): readonly unknown[] | string {
  const rendered = renderOn(...args);
  if (!rendered.ok) return `${rendered.reason}: ${rendered.message}`;
  return rendered.manifests.map(({ manifest: { metadata, ...rest } }) => {
    const { 'gitfleet.dev/placement': _, ...labels } = metadata.labels ?? {};
    const { annotations: __, ...others } = metadata;
    return { ...rest, metadata: { ...others, labels } };
  });
}
export const labelsOf = (...args: Parameters<typeof renderOn>) => {
  const manifests = plain(...args);
  return typeof manifests === 'string' ? manifests : manifests.map((it) => (it as Manifest).metadata.labels);
};
export const replicas = (value: unknown, selects = deployment, rule: object = everywhere) =>
  ro('shop/o', {
    selects: [selects],
    rules: [{ ...rule, ...patch({ op: 'replace', path: '/spec/replicas', value }) }],
  });
