import { deployment, member, placement } from './paper-fleet.ts';

/** Files of a run of one stage over two clusters, after which `tasks` follow (of `afterStageTasks`, comma-separated). */
export const stagedRun = (tasks: string): Record<string, string> => ({
  'clusters/a.yaml': member('a'),
  'clusters/b.yaml': member('b'),
  'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
  'strategy.yaml': `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: careful}
spec: {stages: [{name: all, labelSelector: {}, maxConcurrency: 2, afterStageTasks: [${tasks}]}]}
`,
  'run.yaml': `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateRun
metadata: {name: web-1}
spec: {placementName: web, stagedRolloutStrategyName: careful}
`,
});
