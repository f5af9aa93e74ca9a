import { expect, it } from 'vitest';
import { statusMemory } from '../../../src/daemon/record/remembered.ts';
import { openLog } from '../../../src/daemon/report/log.ts';
import { alwaysAsk } from '../../../src/git/ref-poll.ts';
import type { StatusTip } from '../../../src/git/status-branch.ts';
import { statusBranch } from '../../../src/git/status-branch.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { MemoryRepo } from '../../support/memory-repo.ts';

const ref = 'refs/heads/fleet-status';
const author = { name: 'gitfleet', email: 'gitfleet@localhost' };

/** A recorded placement whose latest snapshot has this index. */
const recordOf = (index: number): Map<string, string> =>
  new Map([
    [
      'placements/web/state.yaml',
      `apiVersion: gitfleet.dev/v1alpha1\nkind: PlacementState\nmetadata: {name: web}\nresourceSnapshots:\n- {index: ${index}, latest: true}\n`,
    ],
  ]);

async function world() {
  const repo = new MemoryRepo(() => 0);
  const branches = repo.branches();
  const status = statusBranch(branches, ref, { author, now: () => 0, refs: alwaysAsk(branches) });
  const memory = statusMemory(status, await openLog({ level: 'silent', pretty: false }));
  const daemon = {
    async publishes(index: number): Promise<void> {
      await daemon.pushes(index, await daemon.tip());
    },
    async pushes(index: number, base: StatusTip): Promise<void> {
      const files = recordOf(index);
      const published = await status.publish(base, files, 'Next');
      if (published.kind === 'moved') memory.moved();
      else memory.wrote(published.tip, readRecord(files));
    },
    tip: async (): Promise<StatusTip> => (await memory.read(false)).tip,
    /** Index of the latest snapshot in its record. */
    async remembers(disputed = false): Promise<number | 'nothing'> {
      const { record } = await memory.read(disputed);
      return record.exists ? [...record.placements.values()][0]!.state.resourceSnapshots[0]!.index : 'nothing';
    },
  };
  const another = { publishes: (index: number) => repo.commit('fleet-status', Object.fromEntries(recordOf(index))) };
  return { repo, daemon, another };
}

it.each<
  [how: string, last: 'its own' | 'of another daemon', seen: string, disputed: boolean, then: number | 'nothing']
>([
  ['deleted', 'its own', 'nothing of others', false, 2],
  ['deleted', 'its own', 'what another did since', true, 'nothing'],
  ['deleted', 'of another daemon', 'nothing of others', false, 'nothing'],
  ['rewound', 'its own', 'nothing of others', false, 2],
  ['rewound', 'its own', 'what another did since', true, 'nothing'],
  ['rewound', 'of another daemon', 'nothing of others', false, 'nothing'],
])(
  'of a branch that was %s when the last commit was %s and members show %s, a daemon knows what may still be the latest (%s: %s)',
  async (how, last, _seen, disputed, then) => {
    const { repo, daemon, another } = await world();
    await daemon.publishes(1);
    const old = repo.tip('fleet-status')!;
    if (last === 'its own') await daemon.publishes(2);
    else another.publishes(2);
    expect(await daemon.remembers()).toBe(2);
    if (how === 'deleted') repo.refs.delete(ref);
    else repo.refs.set(ref, old);
    expect(await daemon.remembers(disputed)).toBe(then);
    // Until the branch is written again, the record stays lost.
    expect(await daemon.remembers()).toBe(then);
    await daemon.publishes(3);
    expect(await daemon.remembers()).toBe(3);
  },
);

it('changes of another daemon on members do not invalidate a branch that was not rewound', async () => {
  const { daemon, another } = await world();
  await daemon.publishes(1);
  another.publishes(2);
  expect(await daemon.remembers(true)).toBe(2);
});

it('after a rejected push another daemon wrote last: if the branch is then deleted, the record is lost', async () => {
  const { repo, daemon, another } = await world();
  await daemon.publishes(1);
  const base = await daemon.tip();
  another.publishes(2);
  await daemon.pushes(3, base);
  repo.refs.delete(ref);
  expect(await daemon.remembers()).toBe('nothing');
});
