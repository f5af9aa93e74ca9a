import { afterEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../src/members/api-server/transport.ts';
import { AttackedFleet, type Files, names, run } from './attacked-fleet.ts';
import { attacked, change, modes, truth } from './record-edits.ts';

let world: AttackedFleet;
afterEach(() => world?.close());

const isReading =
  (transport: Transport): Transport =>
  (request) =>
    request.method === 'GET' ? transport(request) : Promise.reject(new Error('read ECONNRESET'));

/** Merges a branch with commits of these files, the last of which is merged. Returns the ids of its commits. */
function merge(...commits: readonly Files[]): string[] {
  const { repo } = world.fleet;
  const base = repo.tip('main')!;
  repo.refs.set('refs/heads/change', base);
  const ids = commits.map((files, at) => repo.commit('change', files, `Change ${at}`));
  world.fleet.files = { ...commits.at(-1)! };
  repo.commit('main', world.fleet.files, 'Merge', [base, ids.at(-1)!]);
  return ids;
}

/** The status branch as a daemon writes it that follows another commit, and can change no member. */
async function recordAt(commit: string): Promise<Files> {
  const { repo, fleet } = { repo: world.fleet.repo, fleet: world.fleet };
  const before = new Map(['main', 'fleet-status'].map((branch) => [branch, repo.tip(branch)!]));
  world.daemon.kill();
  repo.refs.set('refs/heads/main', commit);
  const other = world.start({ through: isReading });
  await fleet.run(120);
  other.kill();
  const files = await repo.files('fleet-status');
  for (const [branch, tip] of before) repo.refs.set(`refs/heads/${branch}`, tip);
  world.start();
  await fleet.run(60);
  return files;
}

async function everywhere(): Promise<void> {
  world = await AttackedFleet.atGate();
  await world.approve();
  await world.fleet.until('it is everywhere', () => world.images().join() === 'web:1,web:1,web:1', 600);
  await world.fleet.run(60);
}

/** The approval that the gate of a run asks for. */
async function askedFor(name: string): Promise<Files> {
  const branch = `gitfleet/approve/${name}-after-canary`;
  await world.untilGate(branch);
  const files = await world.fleet.repo.files(branch);
  return Object.fromEntries(Object.entries(files).filter(([path]) => path === `approvals/${name}-after-canary.yaml`));
}

const become = (files: Files, other: Files): void => {
  for (const path of Object.keys(files)) delete files[path];
  Object.assign(files, other);
};

describe.each(modes)('a commit that came with a merge, %s', (_, stopped) => {
  it('does not bring its contents, or a strategy without its gate, to any member', async () => {
    await everywhere();
    const before = world.fleet.files;
    const reverted = { ...before, 'runs/web-2.yaml': run('web-2') };
    const [inner] = merge(
      {
        ...reverted,
        'resources/web.yaml': before['resources/web.yaml']!.replace('web:1', 'evil:1'),
        'strategy.yaml': before['strategy.yaml']!.replace(', afterStageTasks: [{type: Approval}]', ''),
      },
      reverted,
    );
    const forged = await recordAt(inner!);
    expect(forged['runs/web-2.yaml']).toContain(inner);
    await attacked(world, { stopped, seconds: 400 }, (files) => become(files, forged));
    expect([...world.imagesSent()].sort()).toEqual(['tools:1', 'web:1']);
    expect(world.images()).toEqual(names.map(() => 'web:1'));
    expect(world.problems().join()).toContain('runs/web-2.yaml: the run counts as lost');
  });

  it('does not make an approval later than the run that came with it', async () => {
    const changed = (): Files => ({
      ...world.fleet.files,
      'resources/web.yaml': world.fleet.files['resources/web.yaml']!.replace('web:1', 'web:2'),
      'runs/web-2.yaml': run('web-2'),
    });
    await everywhere();
    world.fleet.commit(changed());
    const approval = await askedFor('web-2');
    world.close();
    await everywhere();
    const files = changed();
    const [inner] = merge(files, { ...files, ...approval });
    await world.fleet.until('it is on canary', () => world.images()[0] === 'web:2', 300);
    await world.fleet.run(60);
    expect(world.images()).toEqual(['web:2', 'web:1', 'web:1']);
    await attacked(world, { stopped, seconds: 300 }, (record) => {
      change(record, 'runs/web-2.yaml', (it) => {
        delete it.status.earlyApprovals;
        const [task] = it.status.stagesStatus[0].afterStageTaskStatus;
        task.conditions = [...(task.conditions ?? []), truth('ApprovalRequestApproved')];
        Object.assign(it.metadata.annotations, {
          'gitfleet.dev/initialized-from': inner,
          'gitfleet.dev/approved-in': `web-2-after-canary=${world.fleet.repo.tip('main')}`,
        });
      });
    });
    expect(world.images()).toEqual(['web:2', 'web:1', 'web:1']);
    expect(world.problems().join()).toContain('runs/web-2.yaml');
  });
});

describe('a branch with several commits', () => {
  const rolledOut = async (): Promise<void> => {
    await world.fleet.until('it is on canary', () => world.images()[0] === 'web:2', 300);
    await world.restart();
    const approval = await askedFor('web-2');
    merge({ ...world.fleet.files, 'README.md': 'Read me.' }, { ...world.fleet.files, ...approval });
    await world.fleet.until('it is everywhere', () => world.images().join() === 'web:2,web:2,web:2', 600);
    await world.restart();
    await world.fleet.run(60);
    expect(world.problems()).toEqual([]);
  };
  const changed = (): Files[] => {
    const { files } = world.fleet;
    const image = { ...files, 'resources/web.yaml': files['resources/web.yaml']!.replace('web:1', 'web:2') };
    return [image, { ...image, 'runs/web-2.yaml': run('web-2') }];
  };

  it('rolls out when it is merged, also after a restart', async () => {
    await everywhere();
    merge(...changed());
    await rolledOut();
  });

  it('rolls out when it is pushed as it is, also after a restart', async () => {
    await everywhere();
    for (const files of changed()) world.fleet.commit(files);
    await rolledOut();
  });

  it('has no effect on records of earlier commits when main is merged into it and becomes the second parent', async () => {
    await everywhere();
    const { repo } = world.fleet;
    const base = (await repo.objects.commit(repo.tip('main')!)).parents[0]!;
    const files = { ...world.fleet.files, 'README.md': 'Read me.' };
    const own = repo.commit('change', files, 'Change', [base]);
    repo.commit('main', files, 'Merge main', [own, repo.tip('main')!]);
    world.fleet.files = files;
    await world.fleet.run(60);
    await world.restart();
    await world.fleet.run(120);
    expect(world.images()).toEqual(['web:1', 'web:1', 'web:1']);
    // The approval came with the merge now, after everything had started.
    expect(world.problems().every((problem) => problem.startsWith('runs/web-1.yaml'))).toBe(true);
    expect(world.daemon.plan().problems.map(({ code }) => code)).not.toContain('rewound');
  });
});
