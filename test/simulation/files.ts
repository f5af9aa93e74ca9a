import { devThenProd } from '../support/dev-then-prod.ts';
import { member } from '../support/paper-fleet.ts';
import type { App, Desired, Policy } from './desired.ts';
import { gateFiles } from './gate-files.ts';

/** The fleet repo that says what is desired. */
export function filesOf(desired: Desired): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [name, { env, tainted }] of desired.clusters)
    files[`clusters/${name}.yaml`] = member(
      name,
      { env },
      tainted ? 'taints: [{key: team, value: x, effect: NoSchedule}]' : '',
    );
  for (const app of desired.apps.values()) {
    files[`placements/${app.name}.yaml`] = placementText(app);
    files[`resources/${app.name}.yaml`] = resourceText(app);
  }
  if ([...desired.apps.values()].some(({ shared }) => shared)) files['resources/shared.yaml'] = sharedText;
  for (const app of desired.apps.values()) {
    if (app.tuned !== undefined) files[`overrides/${app.name}.yaml`] = overrideText(app.name, app.tuned);
    if (app.budget) files[`budgets/${app.name}.yaml`] = budgetText(app.name, app.budget);
  }
  for (const [name, eviction] of desired.evictions) files[`evictions/${name}.yaml`] = evictionText(name, eviction);
  if (desired.runs.size > 0) files['strategies/careful.yaml'] = devThenProd('30s');
  for (const [name, run] of desired.runs) {
    if (desired.apps.has(run.app)) files[`runs/${name}.yaml`] = runText(name, run, desired);
  }
  Object.assign(files, gateFiles(desired));
  for (const [path, text] of desired.merged) files[path] = text;
  for (const path of desired.broken) if (files[path] !== undefined) files[path] = 'kind: [\n';
  return files;
}

function placementText(app: App): string {
  const rollout = app.external
    ? 'type: External'
    : `type: RollingUpdate, rollingUpdate: {maxUnavailable: ${app.maxUnavailable}, maxSurge: ${app.maxSurge}, unavailablePeriodSeconds: ${app.unavailablePeriodSeconds}}`;
  const strategy = `{${rollout}${applyText[app.apply]}${app.abandons ? abandonText : ''}${app.mirrors ? mirrorText : ''}}`;
  return [
    `apiVersion: placement.kubernetes-fleet.io/${app.abandons || app.mirrors ? 'v1beta1' : 'v1'}`,
    'kind: ClusterResourcePlacement',
    `metadata: {name: ${app.name}${app.suspended ? ', annotations: {gitfleet.dev/suspended: "wait"}' : ''}}`,
    'spec:',
    `  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: ${app.name}}${app.shared ? sharedSelector : ''}]`,
    `  policy: ${policyText(app.policy)}`,
    `  strategy: ${strategy}`,
    '',
  ].join('\n');
}

const applyText: Readonly<Record<App['apply'], string>> = {
  always: '',
  ifNotDrifted: ', applyStrategy: {whenToApply: IfNotDrifted}',
  reportDiff: ', applyStrategy: {type: ReportDiff}',
};
const abandonText = ', deleteStrategy: {propagationPolicy: Abandon}';
const mirrorText = ', reportBackStrategy: {type: Mirror, destination: WorkAPI}';

function policyText(policy: Policy): string {
  switch (policy.kind) {
    case 'PickAll':
      return policy.env === undefined
        ? '{placementType: PickAll}'
        : `{placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: ${policy.env}}}}]}}}}`;
    case 'PickN':
      return `{placementType: PickN, numberOfClusters: ${policy.count}}`;
    case 'PickFixed':
      return `{placementType: PickFixed, clusterNames: [${policy.clusters.join(', ')}]}`;
  }
}

function resourceText({ name, version, failing, selector, configMap, gadget, replicas }: App): string {
  const annotations = failing ? ', annotations: {simulator.gitfleet.dev/fail: NotReady}' : '';
  return [
    `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}`,
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: ${name}}\nspec:\n  replicas: ${replicas}\n  selector: {matchLabels: {app: ${selector}}}\n  template:\n    metadata: {labels: {app: ${selector}}${annotations}}\n    spec: {containers: [{name: main, image: "app:${version}"}]}`,
    ...(configMap
      ? [
          `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: ${name}}\ndata: {version: "${version}"}`,
        ]
      : []),
    ...(gadget
      ? [
          `apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: gadget, namespace: ${name}}\nspec: {version: ${version}}`,
        ]
      : []),
  ].join('\n---\n');
}

const sharedSelector = ', {group: rbac.authorization.k8s.io, version: v1, kind: ClusterRole, name: shared}';
const sharedText =
  'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: shared}\nrules: [{apiGroups: [""], resources: [pods], verbs: [get]}]\n';

const runText = (
  name: string,
  run: { readonly app: string; readonly touched: number },
  { gates }: Pick<Desired, 'gates'>,
): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: ${name}, annotations: {touched: "${run.touched}"}}\nspec: {placementName: ${run.app}, stagedRolloutStrategyName: ${gates ? run.app : 'careful'}${gates ? `, state: ${gates.stopped.has(name) ? 'Stop' : 'Run'}` : ''}}\n`;

/** A name of the environment of its container, which changes its pods. */
export const tunedName = 'TUNED';

const overrideText = (app: string, tuned: number): string => `apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourceOverride
metadata: {name: ${app}, namespace: ${app}}
spec:
  placement: {name: ${app}}
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy:
    overrideRules:
    - clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: prod}}}]}
      jsonPatchOverrides:
      - {op: add, path: /spec/template/spec/containers/0/env, value: [{name: ${tunedName}, value: "${tuned}"}]}
`;

const budgetText = (app: string, { minAvailable, inRollouts }: NonNullable<App['budget']>): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementDisruptionBudget\nmetadata: {name: ${app}${inRollouts ? ', annotations: {gitfleet.dev/budget-scope: all}' : ''}}\nspec: {minAvailable: ${minAvailable}}\n`;

const evictionText = (name: string, of: { readonly app: string; readonly cluster: string }): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: ${name}}\nspec: {placementName: ${of.app}, clusterName: ${of.cluster}}\n`;
