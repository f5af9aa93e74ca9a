import { expect, it } from 'vitest';
import { type Waiting, waitsForRemoval } from './waits.ts';

const about = (
  clusterName: string,
  reason: Waiting['holds'][number]['reason'],
  message = '',
): Waiting['holds'][number] => ({
  subject: { kind: 'ClusterResourcePlacement', name: 'app0', clusterName },
  reason,
  message: `${clusterName} ${message}`,
});
const toAdd = (cluster: string, ...going: readonly string[]) =>
  about(cluster, 'RolloutBudget', `is added once maxSurge 0 allows it (not removed yet: ${going.join(', ')})`);
const toUpdate = (cluster: string, ...coming: readonly string[]) =>
  about(cluster, 'RolloutBudget', `is updated once maxUnavailable 1 allows it (not ready yet: ${coming.join(', ')})`);
const toRemove = (cluster: string) => about(cluster, 'RolloutBudget', 'is removed once maxUnavailable 1 allows it');
const foreign = (cluster: string) => about(cluster, 'ContainsForeignObjects');

/** On c0, which holds something of others; it is asked for two clusters, and one may be down. */
const usual: Omit<Waiting, 'holds'> = {
  maxSurge: 0,
  on: new Set(['c0']),
  least: 1,
  holdsOthers: (cluster) => cluster === 'c0',
};

it.each<[string, Waiting['holds'], Partial<Waiting>, string, boolean]>([
  ['it cannot leave the one that it is to leave first', [toAdd('c1', 'c0'), foreign('c0')], {}, 'c1', true],
  [
    'it says so of one that holds nothing of others',
    [toAdd('c1', 'c0'), foreign('c0')],
    { holdsOthers: () => false },
    'c1',
    false,
  ],
  ['no reason is reported why it cannot be removed from that one', [toAdd('c1', 'c0')], {}, 'c1', false],
  ['one of two can be left', [toAdd('c1', 'c0', 'c2'), foreign('c0')], {}, 'c1', false],
  ['its surge lets it come before', [toAdd('c1', 'c0'), foreign('c0')], { maxSurge: 1 }, 'c1', false],
  ['it waits for one that waits so', [toUpdate('c2', 'c1'), toAdd('c1', 'c0'), foreign('c0')], {}, 'c2', true],
  ['it waits for one that is to be updated', [toUpdate('c2', 'c1'), toUpdate('c1', 'c2')], {}, 'c2', false],
  ['it waits for one that was picked again and cannot be left', [toUpdate('c2', 'c0'), foreign('c0')], {}, 'c2', false],
  ['no hold reports what it is waiting for', [], {}, 'c1', false],
  ['it is to leave where it never came, and no more are available than have to be', [toRemove('c2')], {}, 'c2', true],
  ['it waits for that', [toAdd('c1', 'c2'), toRemove('c2')], {}, 'c1', true],
  ['more are available than have to be', [toRemove('c2')], { least: 0 }, 'c2', false],
  ['it is where it is to leave', [toRemove('c2')], { on: new Set(['c2']) }, 'c2', false],
  ['it must leave a cluster that it never reached, and no hold reports that', [], { least: 2 }, 'c2', false],
])('where %s: %#', (_, holds, more, cluster, waits) => {
  expect(waitsForRemoval({ ...usual, holds, ...more }, cluster)).toBe(waits);
});
