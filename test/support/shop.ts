import { stringify } from 'yaml';
import type { FleetOnGit } from './fleet-on-git.ts';
import { deployment, member } from './paper-fleet.ts';

/** A placement with any spec besides its selector: a namespace of its own name. */
export const place = (name: string, spec: object): string =>
  stringify({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterResourcePlacement',
    metadata: { name, generation: 1 },
    spec: { resourceSelectors: [{ group: '', version: 'v1', kind: 'Namespace', name }], ...spec },
  });

/**
 * Three clusters, a placement on two of them with an override for one, a small one of a namespace, and one that a staged run
 * moves and that waits for approval after its first stage.
 */
export const shop: Readonly<Record<string, string>> = {
  'clusters/eu-1.yaml': member('eu-1', { env: 'prod', region: 'eu' }),
  'clusters/us-1.yaml': member('us-1', { env: 'prod', region: 'us' }),
  'clusters/dev-1.yaml': member('dev-1', { env: 'dev', region: 'eu' }),
  'placements/web.yaml': place('web', {
    policy: { placementType: 'PickFixed', clusterNames: ['eu-1', 'us-1'] },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
  }),
  'placements/settings.yaml': stringify({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ResourcePlacement',
    metadata: { name: 'settings', namespace: 'web', generation: 1 },
    spec: {
      resourceSelectors: [{ group: '', version: 'v1', kind: 'ConfigMap', name: 'settings' }],
      policy: { placementType: 'PickAll' },
    },
  }),
  'placements/pay.yaml': place('pay', {
    policy: { placementType: 'PickFixed', clusterNames: ['dev-1', 'us-1'] },
    strategy: { type: 'External' },
  }),
  'rollouts/careful.yaml': stringify({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterStagedUpdateStrategy',
    metadata: { name: 'careful' },
    spec: {
      stages: [
        { name: 'dev', labelSelector: { matchLabels: { env: 'dev' } }, afterStageTasks: [{ type: 'Approval' }] },
        { name: 'prod', labelSelector: { matchLabels: { env: 'prod' } } },
      ],
    },
  }),
  'rollouts/pay-1.yaml': stringify({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterStagedUpdateRun',
    metadata: { name: 'pay-1' },
    spec: { placementName: 'pay', stagedRolloutStrategyName: 'careful' },
  }),
  'overrides/eu.yaml': stringify({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ResourceOverride',
    metadata: { name: 'eu', namespace: 'web' },
    spec: {
      placement: { name: 'web' },
      resourceSelectors: [{ group: 'apps', version: 'v1', kind: 'Deployment', name: 'web' }],
      policy: {
        overrideRules: [
          {
            clusterSelector: { clusterSelectorTerms: [{ labelSelector: { matchLabels: { region: 'eu' } } }] },
            jsonPatchOverrides: [{ op: 'add', path: '/metadata/labels', value: { region: 'eu' } }],
          },
        ],
      },
    },
  }),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
  'resources/pay.yaml': deployment('pay', 'pay', 'pay:1'),
  'resources/settings.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: web}\ndata: {a: "1"}\n',
};

/** Rolls web 2 out everywhere; then a user scales it on us-1, where drift is only reported. */
export async function bringDriftedVersion2(fleet: FleetOnGit, subject: string): Promise<void> {
  await fleet.settle();
  fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2') }, subject);
  await fleet.settle();
  fleet.paper.results.set('us-1/web', [
    {
      object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'web', name: 'web' },
      result: 'FoundDrifts',
      details: [{ path: '/spec/replicas', valueInMember: '5', valueInHub: '2' }],
    },
  ]);
  await fleet.settle();
}
