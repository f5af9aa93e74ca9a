import { parse, parseAllDocuments } from 'yaml';
import { indent, member, type PrintedPlan, plan } from '../../../support/plan-command.ts';

export const crp = (selectors: string, rest = ''): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacement
metadata: {name: web}
spec:
  policy: {placementType: PickAll}
  resourceSelectors:
${indent(selectors, 4)}
${rest}`;

export const rp = (selectors: string): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors:
${indent(selectors, 4)}
`;

export const object = (kind: string, name: string, namespace?: string, rest = ''): string =>
  `apiVersion: ${kind.includes(' ') ? kind.split(' ')[0] : 'v1'}
kind: ${kind.split(' ').at(-1)}
metadata:
  name: ${name}${namespace ? `\n  namespace: ${namespace}` : ''}
${rest}`;

export const hub = [
  object('Namespace', 'shop', undefined, '  labels: {team: web}'),
  object('Namespace', 'blog', undefined, '  labels: {team: web}'),
  object('ConfigMap', 'prices', 'shop', '  labels: {app: till}\ndata: {a: "1"}'),
  object('ConfigMap', 'flags', 'shop'),
  object('apps/v1 Deployment', 'till', 'shop', '  labels: {app: till}'),
  object('Service', 'till', 'shop', '  labels: {app: till}'),
  object('ConfigMap', 'posts', 'blog', '  labels: {app: till}'),
  object('rbac.authorization.k8s.io/v1 ClusterRole', 'reader', undefined, '  labels: {app: till}'),
];

export const selectedBy = (web: string, resources: readonly string[] = hub) =>
  plan({ repo: { 'c.yaml': member('a'), 'resources/all.yaml': resources, 'web.yaml': web } });

/** `Kind namespace/name` of the selected resources, as the status lists them. */
export const selected = ({ record }: PrintedPlan, key = 'web'): string[] => {
  const { status } = parse(record[`placements/${key}/status.yaml`]!) as {
    status: { selectedResources?: { kind: string; name: string; namespace?: string }[] };
  };
  return (status.selectedResources ?? []).map(
    ({ kind, name, namespace }) => `${kind} ${namespace ? `${namespace}/` : ''}${name}`,
  );
};

export const snapshot = ({ record }: PrintedPlan, index = 0): Record<string, unknown>[] =>
  parseAllDocuments(record[`placements/web/snapshots/${index}.yaml`]!).map(
    (document) => document.toJS() as Record<string, unknown>,
  );

export const shopAll = [
  'Namespace shop',
  'ConfigMap shop/flags',
  'ConfigMap shop/prices',
  'Service shop/till',
  'Deployment shop/till',
];
