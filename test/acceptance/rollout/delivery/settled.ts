import type { Document } from '../../../support/folders.ts';
import {
  all,
  app,
  bindingOn,
  deployment,
  holds,
  members,
  namespace,
  type Observed,
  placement,
  placementEntry,
  rolling,
  type Step,
  Story,
  words,
} from '../world.ts';

export const applying = (strategy: string): string =>
  `{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 1}, applyStrategy: ${strategy}}`;

/** Two clusters, everything available; what `a` shows next is the case. */
export async function settled(strategy = rolling(1, 1), more = ''): Promise<Story> {
  const story = new Story({
    ...members('a b'),
    'web.yaml': placement(all, strategy),
    'resources/web.yaml': app('web:1', more),
  });
  story.seen = {};
  await story.plan();
  story.seen = { a: holds(0), b: holds(0) };
  return story;
}

export const theDeployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'web', name: 'web' };
export const result = (word: string, more: Document = {}, object: Document = theDeployment): Document => ({
  results: [{ object, result: word, ...more }],
});
export const shows = (more: Document, objects: readonly Document[] = [namespace, deployment(2)]): Observed => ({
  placements: [placementEntry(0, more)],
  objects,
});

/** Conditions of the binding on a beyond RolloutStarted and Overridden, then those of the placement beyond Overridden. */
export const reached = (step: Step): string[] => [
  ...words(bindingOn(step, 'a').conditions).slice(2),
  ...words(step.plan.placements[0].conditions).slice(3),
];
export const statusOf = (step: Step, cluster = 'a'): Document =>
  step
    .file('placements/web/status.yaml')
    .status.placementStatuses.find(({ clusterName }: Document) => clusterName === cluster);

export const synced = ['WorkSynchronized=True/AllWorkSynced'];
export const placementSynced = ['ClusterResourcePlacementWorkSynchronized=True/WorkSynchronized'];
