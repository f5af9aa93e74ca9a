/** A member that a simulated provider upgrades. */
export const upgradeMember = (name: string, labels: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  [`clusters/${name}.yaml`]: JSON.stringify({
    apiVersion: 'cluster.kubernetes-fleet.io/v1beta1',
    kind: 'MemberCluster',
    metadata: { name, labels, annotations: { 'gitfleet.dev/upgrade-provider': 'simulated' } },
    spec: {},
  }),
});

/** A run to Kubernetes 1.31.5. */
export const upgradeRun = (spec: object, name = 'k8s'): Record<string, string> => ({
  [`upgrades/${name}.yaml`]: JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'UpdateRun',
    metadata: { name },
    spec: { managedClusterUpdate: { upgrade: { type: 'Full', kubernetesVersion: '1.31.5' } }, ...spec },
  }),
});

/** The file of a strategy. */
export const upgradeStrategy = (stages: readonly object[], name = 'test-then-prod'): Record<string, string> => ({
  [`strategies/${name}.yaml`]: JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'UpdateStrategy',
    metadata: { name },
    spec: { strategy: { stages } },
  }),
});
