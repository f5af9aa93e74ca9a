/** Text of strategy `careful`: clusters of `env: dev`, then after `waitTime` and an approval those of `env: prod`. */
export const devThenProd = (waitTime: string): string => `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: careful}
spec:
  stages:
  - name: dev
    labelSelector: {matchLabels: {env: dev}}
    afterStageTasks: [{type: TimedWait, waitTime: ${waitTime}}, {type: Approval}]
  - name: prod
    labelSelector: {matchLabels: {env: prod}}
`;
