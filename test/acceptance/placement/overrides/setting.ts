import { parse } from 'yaml';
import { conditionLines, indent, member, type Planned, placement, seen, shop } from '../../../support/plan-command.ts';

const till = `apiVersion: apps/v1
kind: Deployment
metadata: {name: till, namespace: shop, labels: {app: till}}
spec: {replicas: 1, template: {spec: {containers: [{name: c, image: till:1}]}}}
`;
export const cro = (
  name: string,
  rules: string,
  more = '',
): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourceOverride
metadata: {name: ${name}}
spec:
${more}  clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: shop}]
  policy:
    overrideRules:
${indent(rules, 6)}
`;
export const ro = (
  name: string,
  rules: string,
  more = '',
  selector = '{group: "", version: v1, kind: ConfigMap, name: prices}',
): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourceOverride
metadata: {name: ${name}, namespace: shop}
spec:
${more}  resourceSelectors: [${selector}]
  policy:
    overrideRules:
${indent(rules, 6)}
`;
export const all = 'clusterSelector: {clusterSelectorTerms: []}';
export const inRegion = (region: string): string =>
  `clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {region: ${region}}}}]}`;
export const patch = (selector: string, ...patches: readonly string[]): string =>
  `- ${selector}\n  jsonPatchOverrides:\n${patches.map((one) => `  - ${one}`).join('\n')}`;

export const clusters = [
  member('eu', { labels: { region: 'eu', size: '3' } }),
  member('us', { labels: { region: 'us', chain: '${MEMBER-CLUSTER-LABEL-KEY-region}' } }),
];
export const repo = (...overrides: readonly string[]) => ({
  'clusters.yaml': clusters,
  'resources/shop.yaml': [shop, till],
  'overrides.yaml': overrides,
  'web.yaml': placement('placementType: PickAll'),
});

export const overridden = ({ placement: of }: Planned, cluster: string): string[] =>
  conditionLines(of().bindings.find(({ clusterName }) => clusterName === cluster)!.conditions).filter((line) =>
    line.startsWith('Overridden'),
  );
export const carried = ({ recorded }: Planned, cluster: string) => {
  const { bindings } = parse(recorded['placements/web/state.yaml']!) as {
    bindings: {
      targetCluster: string;
      clusterResourceOverrideSnapshots?: string[];
      resourceOverrideSnapshots?: { name: string; namespace: string }[];
    }[];
  };
  const { clusterResourceOverrideSnapshots: cluster_ = [], resourceOverrideSnapshots: namespaced = [] } = bindings.find(
    ({ targetCluster }) => targetCluster === cluster,
  )!;
  return [...cluster_, ...namespaced.map(({ name, namespace }) => `${namespace}/${name}`)].join(' ');
};
export const both = [seen('eu'), seen('us')];
