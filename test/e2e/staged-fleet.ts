import { devThenProd } from '../support/dev-then-prod.ts';
import { deployment, member } from '../support/paper-fleet.ts';
import { recorded } from './processes.ts';

/** The branch that asks for approval of its second stage. */
export const gate = 'gitfleet/approve/web-1-after-dev';
/** One placement that a run rolls out to cluster a, then to b. */
export const staged: Readonly<Record<string, string>> = {
  'clusters/a.yaml': member('a', { env: 'dev' }),
  'clusters/b.yaml': member('b', { env: 'prod' }),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
  'placements/web.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourcePlacement
metadata: {name: web}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]
  policy: {placementType: PickAll}
  strategy: {type: External}
`,
  'strategies/careful.yaml': devThenProd('1s'),
  'runs/web-1.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: web-1}
spec: {placementName: web, stagedRolloutStrategyName: careful}
`,
};

/** Clusters where it is available, by the status branch. */
export const bound = (bare: string): string[] =>
  recorded(bare, 'placements/web/state.yaml')
    .split('\n')
    .flatMap((line) => /targetCluster: (\w+),.*type: Available, status: "True"/.exec(line)?.[1] ?? []);
