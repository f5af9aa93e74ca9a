/** Files that several stories put into their fleet repos. */

/** On at every minute, for a minute: always. */
export const frozen =
  'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {freeze: [{name: always, schedule: "* * * * *", duration: 1m}]}\n';

/** Of a member that nothing is to be placed on any more. */
export const taint = 'taints: [{key: out, value: "1", effect: NoSchedule}]';

export const eviction = (name: string, placementName: string, cluster: string): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: ${name}}\nspec: {placementName: ${placementName}, clusterName: ${cluster}}\n`;

/** Puts a label on the Deployment of an app on the clusters that carry some labels. */
export const override = (app: string, matchLabels: string, version: number): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ResourceOverride\nmetadata: {name: size, namespace: ${app}}\nspec:\n  placement: {name: ${app}}\n  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: ${app}}]\n  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {${matchLabels}}}}]}, jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {size: "${version}"}}]}]}\n`;

/** Of the placement of that name; `spec` in flow style. Evictions ask it, and rollouts and runs where it binds them too. */
export const disruptionBudget = (name: string, spec: string, inRollouts = false): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementDisruptionBudget\nmetadata: {name: ${name}${inRollouts ? ', annotations: {gitfleet.dev/budget-scope: all}' : ''}}\nspec: ${spec}\n`;
