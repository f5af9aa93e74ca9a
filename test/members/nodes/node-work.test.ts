import { describe, expect, it } from 'vitest';
import { readPod } from '../../../src/engine/nodes/cluster/pod.ts';
import { drainOf } from '../../../src/members/nodes/act/drain.ts';
import {
  afterStep,
  firstWorkState,
  keyOf,
  nextWork,
  type SeenNodes,
} from '../../../src/members/nodes/act/node-work.ts';
import type { WantedLaunch } from '../../../src/members/nodes/wanted-nodes.ts';
import { claim, node, pod } from '../../support/node-world.ts';

const now = Date.parse('2026-11-20T10:00:00Z');
const at = (seconds: number): string => new Date(now + seconds * 1000).toISOString();
const terminating = (object: ReturnType<typeof pod>, seconds: number) => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: at(seconds) },
});
const daemon = { owner: { apiVersion: 'apps/v1', kind: 'DaemonSet' } };
const critical = { spec: { priorityClassName: 'system-node-critical' } };

describe('a drain', () => {
  const drained = (pods: readonly object[], deadline?: number) => {
    const { evict, remove, waiting, kept } = drainOf(
      pods.map((one) => readPod(one as never)),
      { deadline: deadline === undefined ? undefined : now + deadline * 1000, now },
    );
    return {
      evict: evict.map(({ name }) => name),
      remove: remove.map((one) => [one.pod.name, one.graceSeconds]),
      waiting: waiting.length,
      kept: kept.map(({ name }) => name),
    };
  };

  it.each([
    [
      'pods before those of DaemonSets',
      [pod('a', 'n'), pod('b', 'n', daemon)],
      undefined,
      { evict: ['a'], waiting: 2 },
    ],
    [
      'then those of DaemonSets',
      [pod('b', 'n', daemon), pod('c', 'n', critical)],
      undefined,
      { evict: ['b'], waiting: 2 },
    ],
    ['critical ones last', [pod('c', 'n', critical)], undefined, { evict: ['c'], waiting: 1 }],
    [
      'nobody after a pod that still ends',
      [terminating(pod('a', 'n'), -10), pod('b', 'n', daemon)],
      undefined,
      { waiting: 2 },
    ],
    [
      'the next ones after a pod that is stuck',
      [terminating(pod('a', 'n'), -61), pod('b', 'n', daemon)],
      undefined,
      { evict: ['b'], waiting: 1 },
    ],
    ['no pod that has ended', [pod('a', 'n', { status: { phase: 'Succeeded' } })], undefined, {}],
    ['no static pod', [pod('a', 'n', { owner: { apiVersion: 'v1', kind: 'Node' } })], undefined, {}],
    [
      'no pod that tolerates the taint',
      [pod('a', 'n', { spec: { tolerations: [{ operator: 'Exists' }] } })],
      undefined,
      {},
    ],
    [
      'no protected pod',
      [pod('a', 'n', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
      undefined,
      { waiting: 1, kept: ['a'] },
    ],
    [
      'a pod by eviction while the deadline is further than its grace period',
      [pod('a', 'n')],
      31,
      { evict: ['a'], waiting: 1 },
    ],
    [
      'a protected pod by deletion when its grace period reaches the deadline',
      [pod('a', 'n', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
      20,
      { remove: [['a', 20]], waiting: 1 },
    ],
    [
      'a pod that would end after the deadline once more',
      [terminating(pod('a', 'n'), 100)],
      20,
      { remove: [['a', 20]], waiting: 1 },
    ],
    [
      'every tier at once at the deadline',
      [pod('a', 'n'), pod('c', 'n', critical)],
      -5,
      {
        remove: [
          ['a', 1],
          ['c', 1],
        ],
        waiting: 2,
      },
    ],
  ])('takes %s', (_, pods, deadline, expected) => {
    expect(drained(pods, deadline)).toEqual({ evict: [], remove: [], waiting: 0, kept: [], ...expected });
  });
});

const marked = (name: string) => {
  const plain = node(name, { annotations: { 'gitfleet.dev/disruption-command': 'c1' } });
  return { ...plain, spec: { taints: [{ key: 'gitfleet.dev/disrupted', effect: 'NoSchedule' }] } };
};
const seenOf = (of: Partial<Record<keyof SeenNodes, readonly object[]>>): SeenNodes =>
  ({ nodes: [], pods: [], extras: [], launches: [], ...of }) as SeenNodes;
const gone = (name: string, uid = `uid-${name}`) => ({ name, uid, want: 'Gone' as const, command: 'c1' });
const launch = (name: string) => ({ name }) as WantedLaunch;

it('a node of an alternative type gets the labels of that type', () => {
  const alternatives = [{ instanceType: 'D2', labels: { type: 'D2' } }];
  const launches = [{ name: 'new', phase: 'Launched' as const, node: 'host-1', instanceType: 'D2' }];
  const { steps } = nextWork(firstWorkState, {
    wanted: { nodes: [], launches: [{ ...launch('new'), alternatives }] },
    seen: seenOf({ nodes: [node('host-1')], launches }),
    now,
  });
  expect(steps).toMatchObject([{ kind: 'adopt', launch: { name: 'new', instanceType: 'D2', labels: { type: 'D2' } } }]);
});

describe('the work of an actor', () => {
  const steps = (
    wanted: Partial<Parameters<typeof nextWork>[1]['wanted']>,
    seen: SeenNodes,
    state = firstWorkState,
    seconds = 0,
  ) =>
    nextWork(state, { wanted: { nodes: [], launches: [], ...wanted }, seen, now: now + seconds * 1000 }).steps.map(
      keyOf,
    );
  const old = { ...firstWorkState, draining: new Map([['uid-n', now - 5_000]]) };

  it.each([
    ['taints first', { nodes: [gone('n')] }, seenOf({ nodes: [node('n')] }), firstWorkState, ['taint uid-n']],
    ['leaves another node of the name alone', { nodes: [gone('n', 'other')] }, seenOf({ nodes: [node('n')] }), old, []],
    [
      'takes its taint from a node that is not listed',
      {},
      seenOf({ nodes: [marked('n')] }),
      firstWorkState,
      ['untaint uid-n'],
    ],
    [
      'writes on a node of another name what it was launched as',
      { launches: [launch('new')] },
      seenOf({ nodes: [node('host-1')], launches: [{ name: 'new', phase: 'Launched', node: 'host-1' }] }),
      firstWorkState,
      ['adopt uid-host-1'],
    ],
    [
      'writes it once',
      { launches: [launch('new')] },
      seenOf({
        nodes: [node('host-1', { annotations: { 'gitfleet.dev/launched-as': 'new' } })],
        launches: [{ name: 'new', phase: 'Launched', node: 'host-1' }],
      }),
      firstWorkState,
      [],
    ],
    ['evicts', { nodes: [gone('n')] }, seenOf({ nodes: [marked('n')], pods: [pod('p', 'n')] }), old, ['evict uid-p']],
    [
      'waits 5 s before it deletes an empty node',
      { nodes: [gone('n')] },
      seenOf({ nodes: [marked('n')] }),
      firstWorkState,
      [],
    ],
    ['deletes a drained node', { nodes: [gone('n')] }, seenOf({ nodes: [marked('n')] }), old, ['deleteNode uid-n']],
    [
      'deletes the claim where there is one',
      { nodes: [gone('n', 'uid-n-claim')] },
      seenOf({ nodes: [marked('n')], extras: [claim(node('n'))] }),
      old,
      ['deleteClaim uid-n-claim'],
    ],
    [
      'waits for volumes',
      { nodes: [gone('n')] },
      seenOf({
        nodes: [marked('n')],
        extras: [
          {
            apiVersion: 'storage.k8s.io/v1',
            kind: 'VolumeAttachment',
            metadata: { name: 'v' },
            spec: { nodeName: 'n', source: { persistentVolumeName: 'pv' } },
          },
        ],
      }),
      old,
      [],
    ],
    [
      'launches what is not there',
      { launches: [launch('a'), launch('b')] },
      seenOf({ launches: [{ name: 'a', phase: 'Launching' }] }),
      firstWorkState,
      ['launch b'],
    ],
    [
      'launches nothing before it knows what was launched',
      { launches: [launch('a')] },
      { ...seenOf({}), launches: undefined },
      firstWorkState,
      [],
    ],
    [
      'forgets a launch that failed and is not wanted',
      {},
      seenOf({ launches: [{ name: 'a', phase: 'Failed' }] }),
      firstWorkState,
      ['forget a'],
    ],
  ])('%s', (_, wanted, seen, state, expected) => {
    expect(steps(wanted, seen, state)).toEqual(expected);
  });

  it('repeats an eviction that was refused after 100 ms, doubled to 10 s, or when the server says', () => {
    const seen = seenOf({ nodes: [marked('n')], pods: [pod('p', 'n')] });
    const [step] = nextWork(old, { wanted: { nodes: [gone('n')], launches: [] }, seen, now }).steps;
    let state = old as typeof firstWorkState;
    const waits = [0, 1, 2, 7, 8].map(() => {
      state = afterStep(state, { step: step!, outcome: { ok: false, fault: 'refused' }, now });
      return state.steps.get('evict uid-p')!.notBefore - now;
    });
    expect(waits).toEqual([100, 200, 400, 800, 1_600]);
    expect(steps({ nodes: [gone('n')] }, seen, state, 1)).toEqual([]);
    expect(steps({ nodes: [gone('n')] }, seen, state, 2)).toEqual(['evict uid-p']);
    const told = afterStep(state, { step: step!, outcome: { ok: false, fault: 'x', retryAfterMs: 30_000 }, now });
    expect(told.steps.get('evict uid-p')!.notBefore - now).toBe(30_000);
  });
});
