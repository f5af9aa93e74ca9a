import { afterEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../src/members/api-server/transport.ts';
import type { Asked } from '../support/memory-repo.ts';
import type { VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';
import { branch, forgeFleet, run, web } from './requests/forge-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const names = ['a', 'b', 'c'] as const;
const images = (): (string | undefined)[] =>
  names.map((name) => /web:\d/.exec(JSON.stringify(fleet.stored(name, 'apps/deployments', 'web', 'web') ?? {}))?.[0]);
const everywhere = (image: string) =>
  fleet.until(`${image} is everywhere`, () => images().every((it) => it === image), 1_200);
const recorded = async (name: string): Promise<string> =>
  (await fleet.repo.files('fleet-status'))[`runs/${name}.yaml`] ?? '';

const withRollback = run('web-2').replace(
  '{name: web-2}',
  '{name: web-2, annotations: {gitfleet.dev/progress-deadline: 2m, gitfleet.dev/on-failure: rollback}}',
);

/** Merges what is asked, as somebody would by git. */
function merge(asked: string): void {
  fleet.repo.refs.set('refs/heads/main', fleet.repo.tip(asked)!);
}

/** A daemon that dies at its n-th outside call since it recorded the rollback: before the call, or with its answer lost. */
function startVictim(
  at: number,
  how: 'not sent' | 'answer lost',
): { readonly daemon: VirtualDaemon; calls: () => number } {
  let calls = -1;
  const call = async (): Promise<void> => {
    if (calls < 0 || calls++ !== at) return;
    daemon.kill();
    if (how === 'not sent') await new Promise(() => {});
  };
  const asked = async (request: Asked): Promise<void> => {
    if (calls < 0 && request.kind === 'push' && request.ref.endsWith('/fleet-status'))
      if (request.change.objects.some(({ content }) => content.includes('rollbackStatus:'))) calls = 0;
    await call();
  };
  const through =
    (transport: Transport): Transport =>
    async (request) => {
      await call();
      return transport(request);
    };
  const daemon = fleet.start({ branches: fleet.repo.branches({ remote: true, asked }), through });
  return { daemon, calls: () => calls };
}

/** Version 1 runs everywhere; version 2 runs on a and b, and c does not take it. */
async function untilFailing(): Promise<void> {
  ({ fleet } = await forgeFleet('github'));
  const first = fleet.start();
  await fleet.until('web-1 asks', () => fleet.repo.tip(branch) !== undefined, 600);
  merge(branch);
  await everywhere('web:1');
  await fleet.run(60);
  fleet.files = await fleet.repo.files('main');
  fleet.fault('c', { type: 'DenyAdmission', verbs: ['patch'], resources: ['deployments.apps'] });
  fleet.commit({ 'resources/web.yaml': web('web:2'), 'runs/web-2.yaml': withRollback }, 'web 2');
  const asked = branch.replace('web-1', 'web-2');
  await fleet.until('web-2 asks', () => fleet.repo.tip(asked) !== undefined, 600);
  merge(asked);
  await fleet.until('b runs it', () => images().join() === 'web:2,web:2,web:1', 600);
  first.kill();
}

describe.each(['not sent', 'answer lost'] as const)('a rollback that is killed between outside calls (%s)', (how) => {
  it.each([0, 1, 2, 3, 5, 8, 13, 21])('is resumed to its end: call %i', async (at) => {
    await untilFailing();
    const { daemon, calls } = startVictim(at, how);
    await fleet.until('it is killed', () => calls() > at, 900);
    daemon.kill();
    fleet.start();
    await everywhere('web:1');
    await fleet.until('the run is over', async () => (await recorded('web-2')).includes('endTime'), 600);
    await fleet.run(600);
    expect(images()).toEqual(['web:1', 'web:1', 'web:1']);
    expect(await recorded('web-2')).toMatch(/rollbackStatus:/);
  });
});
