import { bound, cluster, Rollout, runOf, scheduled, stage, strategyOf, workOf } from '../world.ts';

const annotations = { 'gitfleet.dev/progress-deadline': '10m', 'gitfleet.dev/on-failure': 'rollback' };

/** Stages canary (c-1), prod (p-1 … p-3) and last (z-1) over clusters bound to snapshot 0, and a run that takes snapshot 1. */
export const threeStages = (
  of: Record<string, string>,
  { first = 'bound', gate = false }: { first?: 'bound' | 'new'; gate?: boolean } = {},
): Rollout => {
  const others = ['p-1', 'p-2', 'p-3', 'z-1'];
  return new Rollout(
    workOf({
      bindings: [first === 'new' ? scheduled('c-1') : bound('c-1'), ...others.map((name) => bound(name))],
      snapshots: [0],
    }),
    {
      runs: [runOf({ annotations: of })],
      strategies: [
        strategyOf(
          stage('canary', gate ? { afterStageTasks: [{ type: 'Approval' }] } : {}),
          stage('prod', { maxConcurrency: 2 }),
          stage('last'),
        ),
      ],
      clusters: [
        cluster('c-1', 'canary'),
        ...['p-1', 'p-2', 'p-3'].map((name) => cluster(name, 'prod')),
        cluster('z-1', 'last'),
      ],
    },
  );
};

/** The same in its rollback since 700 s: canary and the first clusters of prod were reached, and the last of these failed. */
export const rollingBack = (reached: 'two of prod' | 'all of prod' = 'two of prod'): Rollout => {
  const rollout = threeStages(annotations).plan().ready('c-1').plan(100);
  return reached === 'two of prod'
    ? rollout.ready('p-1').plan(700)
    : rollout.ready('p-1', 'p-2').plan(100).ready('p-1').plan(700);
};
