import { describe, expect, it } from 'vitest';
import { placementLabel } from '../../src/engine/overrides/ownership.ts';
import type { Stored } from '../../src/simulator/object.ts';
import type { StoreEvent } from '../../src/simulator/storage/event-log.ts';
import type { App, Desired } from './desired.ts';
import type { Decided, Published } from './published.ts';
import { type Safety, safety } from './safety.ts';
import { type Wish, Wishes } from './wishes.ts';

const now = 1_000_000;
const ours = { [placementLabel]: 'app0' };

const app: App = {
  name: 'app0',
  external: false,
  maxUnavailable: 1,
  maxSurge: 0,
  unavailablePeriodSeconds: 0,
  configMap: false,
  replicas: 1,
  policy: { kind: 'PickAll' },
  version: 2,
  failing: false,
  selector: 'web',
  gadget: false,
  shared: false,
  tuned: undefined,
  suspended: false,
  apply: 'always',
  budget: undefined,
  abandons: false,
  mirrors: false,
};

const clusters = ['c0', 'c1', 'c2'];

const desired: Desired = {
  clusters: new Map(clusters.map((name) => [name, { env: 'dev', tainted: false }])),
  apps: new Map([[app.name, app]]),
  runs: new Map(),
  merged: new Map(),
  broken: new Set(),
  left: new Set(),
  abandoned: new Set(),
  evictions: new Map(),
  evicted: 0,
  made: 1,
  wide: true,
  ample: true,
};

/** All was well for long when it was decided, a second ago. */
const well: Decided = {
  available: true,
  since: 0,
  at: now - 1000,
  by: 1,
  commit: undefined,
  doubtedAt: Number.NEGATIVE_INFINITY,
  reportedDown: new Set(),
  asFound: new Set(),
};

const recorded = (decided: Partial<Decided>, wantedSince: number | undefined): Published => ({
  moved() {},
  knows: () => true,
  bound: () => clusters,
  broughtBy: () => [],
  ungated: () => false,
  fewest: () => clusters.length,
  wantedSince: () => wantedSince,
  boundSince: () => new Set(clusters),
  commitsSince: () => [],
  wasEvicted: () => false,
  isLeaving: () => false,
  lost() {},
  file: () => undefined,
  commit: () => undefined,
  decided: () => ({ ...well, ...decided }),
});

const web = (version: number, isUp: boolean, labels: Stored['metadata']['labels'] = ours): Stored => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: app.name,
    uid: 'u',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-11-20T10:00:00Z',
    labels,
  },
  spec: { replicas: 1, template: { spec: { containers: [{ image: `app:${version}` }] } } },
  status: isUp ? { observedGeneration: 1, updatedReplicas: 1, availableReplicas: 1 } : {},
});

const event = (type: StoreEvent['type'], object: Stored, before?: Stored): StoreEvent => ({
  type,
  key: 'apps/deployments',
  object,
  before,
  resourceVersion: 1,
  at: now,
});

const sharedBy = (placement: string): StoreEvent => ({
  ...event('ADDED', { ...web(1, true, { 'gitfleet.dev/placement': placement }), kind: 'ClusterRole' }),
  key: 'rbac.authorization.k8s.io/clusterroles',
});

interface Story {
  readonly app?: Partial<App>;
  /** What all daemons have long been told. */
  readonly known?: App['apply'];
  readonly wish?: Partial<Wish>;
  readonly lasting?: Partial<Published>;
  readonly record?: Partial<Decided>;
  readonly wantedSince?: number;
  /** Half a minute before it is decided. */
  readonly before?: (checks: Safety) => void;
  /** On the second cluster. */
  readonly next: (checks: Safety) => void;
}

/** Three clusters run version 1; the first goes on to version 2, and then something happens on the second. */
function complaints({
  record = {},
  wantedSince,
  before,
  next,
  wish,
  known,
  lasting,
  ...story
}: Story): readonly string[] {
  let time = 0;
  const whole = { ...app, ...story.app, ...wish };
  const fleet = { ...desired, apps: new Map([[app.name, whole]]) };
  const wishes = new Wishes();
  wishes.note('commit', fleet);
  const checks = safety({
    desired: fleet,
    record: { ...recorded({ commit: 'commit', ...record }, wantedSince), ...lasting },
    now: () => time,
    broken: [],
    wishes,
    knows: (_, apply) => apply === known,
  });
  for (const cluster of clusters) checks.seen(cluster, event('ADDED', web(1, true)));
  time = now - 30_000;
  before?.(checks);
  time = now;
  checks.seen('c0', event('MODIFIED', web(2, false), web(1, true)));
  next(checks);
  return checks.broken;
}

const changes = (checks: Safety) => checks.seen('c1', event('MODIFIED', web(2, false), web(1, true)));
const breaks = (checks: Safety) => checks.seen('c2', event('MODIFIED', web(1, false), web(1, true)));
const removed = (checks: Safety) => checks.seen('c1', event('DELETED', web(1, true), web(1, true)));
const tooFew = 'which left 1 available and 0 down for other reasons, of 3 with at most 1 unavailable';
const changed = [`app0 was changed to version 2 on c1, ${tooFew}`];

describe('a budget', () => {
  it.each<readonly [string, Story, readonly string[]]>([
    ['is broken by a change', { next: changes }, changed],
    ['is broken by a removal', { next: removed }, [`app0 was removed on c1, ${tooFew}`]],
    ['is not by a cluster that was told to be down', { record: { available: false }, next: changes }, []],
    [
      'is not by one that a person had taken our label off',
      { before: (checks) => checks.seen('c1', event('MODIFIED', web(1, true, {}), web(1, true))), next: changes },
      [],
    ],
    [
      'is by one that has had it back for long',
      {
        record: { at: now + 120_000 },
        before(checks) {
          checks.seen('c1', event('MODIFIED', web(1, true, {}), web(1, true)));
          checks.seen('c1', event('MODIFIED', web(1, true), web(1, true, {})));
        },
        next: changes,
      },
      changed,
    ],
    [
      'is not by one where another has what it asks for, too',
      {
        app: { shared: true },
        before: (checks) => checks.seen('c1', sharedBy('another')),
        next: changes,
      },
      [],
    ],
    [
      'is by one where it has that itself',
      { app: { shared: true }, before: (checks) => checks.seen('c1', sharedBy(app.name)), next: changes },
      changed,
    ],
    [
      'is not by one that refused what the same daemon asked',
      { before: (checks) => checks.refused({ cluster: 'c1', app: 'app0', by: 1 }), next: changes },
      [],
    ],
    [
      'is by one that refused what another daemon asked',
      { before: (checks) => checks.refused({ cluster: 'c1', app: 'app0', by: 2 }), next: changes },
      changed,
    ],
    [
      'is not by a daemon that a member in trouble showed something older',
      { record: { doubtedAt: now - 20_000 }, before: (checks) => checks.troubled('c1', 5), next: changes },
      [],
    ],
    ['is by one that only told something older', { record: { doubtedAt: now - 20_000 }, next: changes }, changed],
    [
      'is by one that a member had shown something older long ago',
      { record: { doubtedAt: now - 90_000 }, before: (checks) => checks.troubled('c1', 5), next: changes },
      changed,
    ],
    [
      'does not ask for what a cluster was never told to run',
      {
        record: { asFound: new Set(['c2']) },
        before: (checks) => checks.seen('c2', event('DELETED', web(1, true), web(1, true))),
        next: changes,
      },
      [`app0 was changed to version 2 on c1, ${tooFew.replace('1 available and 0', '0 available and 1')}`],
    ],
    [
      'is not spent by what breaks of itself',
      { before: breaks, next: changes },
      [`app0 was changed to version 2 on c1, ${tooFew.replace('1 available and 0', '0 available and 1')}`],
    ],
    [
      'is spent by what had been told to be down',
      { record: { reportedDown: new Set(['c2']) }, before: breaks, next() {} },
      [`app0 was changed to version 2 on c0, ${tooFew}`],
    ],
    ['asks for what it was found with', { record: { asFound: new Set(['c2']) }, next: changes }, changed],
  ])('%s', (_, story, broken) => {
    expect(complaints(story)).toEqual(broken);
  });
});

describe('what a cluster was told to keep', () => {
  const gone = 'app0 was removed on c1, which was to keep it';
  it.each<readonly [string, Story, readonly string[]]>([
    ['is not removed', { record: { available: false }, wantedSince: now - 90_000, next: removed }, [gone]],
    [
      'may be by what was on its way before',
      { record: { available: false }, wantedSince: now - 30_000, next: removed },
      [],
    ],
    [
      'may be by people',
      {
        record: { available: false },
        wantedSince: now - 90_000,
        before: (checks) => checks.removedByPerson('c1', 'app0', 'web'),
        next: removed,
      },
      [],
    ],
  ])('%s', (_, story, broken) => {
    expect(complaints(story)).toEqual(broken);
  });
});

const drifted: Stored = {
  ...web(1, true),
  spec: { replicas: 1, template: { spec: { containers: [{ image: 'somebody:1' }] } } },
};
const edited = (checks: Safety) => checks.seen('c1', event('MODIFIED', drifted, web(1, true)));
const repaired = (checks: Safety) => checks.seen('c1', event('MODIFIED', web(1, true), drifted));
const updated = (checks: Safety) => checks.seen('c1', event('MODIFIED', web(2, true), drifted));

describe('changes by users', () => {
  const broken = ['app0 on c1 was repaired, although what differs is to stay'];
  it.each<readonly [string, Story, readonly string[]]>([
    ['stays where it is to be left', { known: 'ifNotDrifted', before: edited, next: repaired }, broken],
    ['may be repaired where not all daemons know that it is to be left', { before: edited, next: repaired }, []],
    ['goes with the next version', { known: 'ifNotDrifted', before: edited, next: updated }, []],
  ])('%s', (_, story, expected) => {
    expect(complaints(story)).toEqual(expected);
  });
});

describe('a budget for evictions', () => {
  const asks = { minAvailable: 2, inRollouts: true };
  const told = 'app0 was changed to version 2 on c1, which left 1 available and 0 down for other reasons';
  const two = { maxUnavailable: 2 };
  it.each<readonly [string, Story, readonly string[]]>([
    [
      'binds rollouts that it is meant for',
      { app: two, wish: { budget: asks }, next: changes },
      [`${told}, where its budget asks for 2`],
    ],
    [
      'binds a removal that was decided under it',
      { app: two, wish: { budget: asks }, next: removed },
      [`${told.replace('changed to version 2', 'removed')}, where its budget asks for 2`],
    ],
    [
      'does not bind one that was decided before or after',
      { app: two, wish: { budget: asks }, record: { commit: 'another' }, next: removed },
      [],
    ],
    ['binds no others', { app: two, wish: { budget: { ...asks, inRollouts: false } }, next: changes }, []],
    [
      'does not ask for what the rollout did not know to be gone',
      {
        app: two,
        wish: { budget: asks },
        before: (checks) => checks.seen('c2', event('DELETED', web(1, true), web(1, true))),
        lasting: { wasEvicted: () => true },
        next() {},
      },
      [],
    ],
  ])('%s', (_, story, expected) => {
    expect(complaints(story)).toEqual(expected);
  });
});

describe('what a placement that is gone was to leave behind', () => {
  const drop = (checks: Safety) => checks.dropped({ ...app, abandons: true });
  const broken = ['app0 was removed on c1, where it was to be left'];
  const gone = (checks: Safety) => {
    drop(checks);
    remaining.apps.clear();
    removed(checks);
  };
  const remaining = { ...desired, apps: new Map([[app.name, app]]) };
  const told = (lasting: Partial<Published> = {}, before: (checks: Safety) => void = () => {}): readonly string[] => {
    remaining.apps.set(app.name, app);
    const record = { ...recorded({}, 0), ...lasting };
    const checks = safety({
      desired: remaining,
      record,
      now: () => now,
      broken: [],
      wishes: new Wishes(),
      knows: () => false,
    });
    for (const cluster of clusters) checks.seen(cluster, event('ADDED', web(1, true)));
    before(checks);
    gone(checks);
    return checks.broken;
  };

  it('stays', () => expect(told()).toEqual(broken));
  it('may be removed by users', () =>
    expect(told({}, (checks) => checks.removedByPerson('c1', 'app0', 'web'))).toEqual([]));
  it('is not what it was leaving before', () => expect(told({ isLeaving: () => true })).toEqual([]));
  it('is not what it was not to have', () => expect(told({ wantedSince: () => undefined })).toEqual([]));
});
