/** First line of the file of a cluster that none has joined as. */
export const placeholderLine = `# A placeholder: gitfleet join CONTEXT --name eu-1 connects a cluster to it. A cluster of another name gets a file of its own.
`;

/**
 * The files of a new fleet repo: as small as it can be while something is placed. The cluster stands for the first one that joins,
 * or is replaced by it.
 */
export const firstFiles = (branch: string): Readonly<Record<string, string>> => ({
  'README.md': `# Fleet
What runs on our clusters. gitfleet reads the branch ${branch}, and writes the state of the fleet to the branch fleet-status.

| folder | contents |
|---|---|
| clusters | one MemberCluster for each cluster, with the labels that placements select |
| placements | which resources go to which clusters, and how they are rolled out |
| resources | ordinary Kubernetes manifests; nothing is applied until a placement selects it |
| fleet.yaml | settings of the whole fleet |

\`gitfleet validate\` reports mistakes, also of changes that are not committed. \`gitfleet plan\` shows what a commit does.
`,
  '.gitignore': `# Credentials of clusters: never commit them.
/kubeconfigs/
`,
  'fleet.yaml': `# Settings of the whole fleet. Every one has a default, so this file may be missing.
apiVersion: gitfleet.dev/v1alpha1
kind: FleetConfig
spec:
  guard:
    # One step that removes something from more clusters waits for an approval. A rollout takes several steps.
    maxClusters: 3
`,
  'clusters/eu-1.yaml': `${placeholderLine}apiVersion: cluster.kubernetes-fleet.io/v1
kind: MemberCluster
metadata:
  name: eu-1
  labels:
    # Placements select clusters by labels.
    env: dev
`,
  'placements/hello.yaml': `# What: the namespace hello with everything in it. Where: on each cluster with the label env.
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourcePlacement
metadata:
  name: hello
spec:
  resourceSelectors:
    - group: ""
      version: v1
      kind: Namespace
      name: hello
  policy:
    # PickN with numberOfClusters picks the best ones; PickFixed names them.
    placementType: PickAll
    affinity:
      clusterAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          clusterSelectorTerms:
            - labelSelector:
                matchExpressions:
                  - key: env
                    operator: Exists
  strategy:
    type: RollingUpdate
    rollingUpdate:
      # A new version reaches one cluster after the other.
      maxUnavailable: 1
`,
  'resources/hello/hello.yaml': `apiVersion: v1
kind: Namespace
metadata:
  name: hello
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: hello
  namespace: hello
data:
  greeting: Hello from the fleet
`,
});
