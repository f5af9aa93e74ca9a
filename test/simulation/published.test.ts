import { expect, it } from 'vitest';
import { published } from './published.ts';

type State = 'Bound' | 'Unscheduled' | 'deleting';
interface Told {
  readonly state: State;
  readonly isUp: boolean;
}

/** What is known of the decision on a cluster, of which this was told, one thing a second, each for a commit of its own. */
function decided(...told: readonly Told[]) {
  let now = 0;
  const record = published(
    () => now,
    () => {},
  );
  for (const { state, isUp } of told) {
    now += 1000;
    const binding = {
      targetCluster: 'c0',
      resourceSnapshotIndex: 0,
      ...(state === 'deleting' ? { state: 'Unscheduled', deleting: true } : { state }),
      conditions: [{ type: 'Available', status: isUp ? 'True' : 'False' }],
    };
    record.moved(
      {
        'summary.yaml': `commit: at ${now}`,
        'placements/app0/state.yaml': JSON.stringify({ bindings: [binding], now }),
        'placements/app0/snapshots/0.yaml': 'image: app:1',
      },
      1,
    );
  }
  const { at, commit, available, since } = record.decided('app0', 'c0');
  return { at, commit, available, since };
}

const bound: Told = { state: 'Bound', isUp: true };
const unpicked: Told = { state: 'Unscheduled', isUp: true };
const removed: Told = { state: 'deleting', isUp: true };

it.each<[string, readonly Told[], ReturnType<typeof decided>]>([
  ['at once', [bound, removed], { at: 2000, commit: 'at 2000', available: true, since: 1000 }],
  [
    'when it goes, after it has long been unpicked',
    [bound, unpicked, unpicked, removed],
    { at: 4000, commit: 'at 4000', available: true, since: 1000 },
  ],
  [
    'when it goes, of what went down while it waited for that',
    [bound, { ...unpicked, isUp: false }, removed],
    { at: 3000, commit: 'at 3000', available: false, since: 0 },
  ],
  [
    'when it goes, of what came up while it waited for that',
    [{ ...bound, isUp: false }, { ...unpicked, isUp: false }, unpicked, removed],
    { at: 4000, commit: 'at 4000', available: true, since: 3000 },
  ],
])('what is to go is decided to go %s', (_, told, expected) => expect(decided(...told)).toEqual(expected));
