import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { UpdateRun } from '../../src/api/upgrade-run.ts';
import type { MemberUpgrade } from '../../src/api/upgrade-status.ts';
import {
  gate,
  names,
  requested,
  simulatedMember,
  stagedFiles,
  states,
  versionsOf,
} from '../daemon/upgrades/upgrade-stages.ts';
import { upgradeRun, upgradeStrategy } from '../support/cluster-upgrades.ts';
import { type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';

let fleet: VirtualFleet;
let daemon: VirtualDaemon;
afterEach(() => fleet.close());

type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
type Run = Mutable<UpdateRun>;

const runFile = 'upgrades/k8s.yaml';

async function untilGate(files: Readonly<Record<string, string>> = stagedFiles, asks = gate): Promise<void> {
  fleet = await VirtualFleet.open(files, ...names.map((name) => simulatedMember(name)));
  daemon = fleet.start();
  await fleet.until('the gate asks', () => fleet.repo.tip(asks) !== undefined, 300);
}

/** Writes to the status branch, on top of what stands there. */
async function edit(change: (run: Run, files: Record<string, string>) => void): Promise<void> {
  const files = await fleet.repo.files('fleet-status');
  const run = parse(files[runFile]!) as Run;
  change(run, files);
  if (files[runFile] !== undefined) files[runFile] = stringify(run);
  fleet.repo.commit('fleet-status', files, 'Attack');
}

const passGate = (run: Run): void => {
  run.status!.stages[1]!.beforeGates[0]!.status = { state: 'Completed', completedTime: '2026-11-20T10:05:00Z' };
};
const start = (run: Run, to: object = { controlPlane: 'v1.31.5' }): void => {
  for (const member of run.status!.stages[1]!.groups[0]!.members)
    Object.assign(member, {
      status: { state: 'Running', startTime: '2026-11-20T10:05:00Z' },
      operationId: `k8s.${member.name}.20261120T100500Z`,
      type: 'Full',
      to,
    });
};

const attacks: Readonly<Record<string, (run: Run, files: Record<string, string>) => void>> = {
  'counts the gate as passed': passGate,
  'counts the gate as passed by an approval of the commit it started from': (run) => {
    passGate(run);
    const from = run.metadata.annotations!['gitfleet.dev/initialized-from'];
    run.metadata.annotations!['gitfleet.dev/approved-in'] = `k8s-before-prod=${from}`;
  },
  'counts the gate as skipped': (run) => {
    run.status!.stages[1]!.beforeGates[0]!.status = { state: 'Skipped' };
  },
  'starts the members behind the gate': (run) => start(run),
  'passes the gate and starts the members behind it': (run) => {
    passGate(run);
    start(run);
  },
  'takes the gate out of the run and of its strategy': (run) => {
    run.status!.stages[1]!.beforeGates = [];
    run.spec.strategy!.stages[1]!.beforeGates = [];
  },
  'lists the members behind the gate in the stage before it': (run) => {
    const [first, second] = run.status!.stages;
    first!.groups[0]!.members.push(...second!.groups[0]!.members);
    second!.groups[0]!.members = [];
    first!.status = { state: 'Running', startTime: '2026-11-20T10:00:00Z' };
  },
  'swaps the stages': (run) => void run.status!.stages.reverse(),
  'names another version': (run) => {
    run.spec.managedClusterUpdate.upgrade.kubernetesVersion = '1.31.9';
  },
  'passes the gate of a run that counts as not started': (run) => {
    passGate(run);
    run.status!.status = { state: 'NotStarted' };
  },
  'passes the gate and starts the members of a run that counts as not started': (run) => {
    passGate(run);
    start(run);
    run.status!.status = { state: 'NotStarted' };
  },
  'counts a member behind the gate as done': (run) => {
    passGate(run);
    start(run);
    run.status!.stages[1]!.groups[0]!.members[0]!.status = { state: 'Completed' };
  },
  'counts the gate as passed, and the run as over': (run) => {
    passGate(run);
    run.status!.status = { ...run.status!.status, state: 'Completed', completedTime: '2026-11-20T10:05:00Z' };
  },
  'counts the gate as one of another type': (run) => {
    Object.assign(run.status!.stages[1]!.beforeGates[0]!, { type: 'ScheduledStart' });
    passGate(run);
  },
  'removes the record of the run': (_, files) => {
    delete files[runFile];
  },
  'adds a run that no file has': (run, files) => {
    const other = structuredClone(run);
    other.metadata.name = 'other';
    passGate(other);
    start(other);
    files['upgrades/other.yaml'] = stringify(other);
  },
};

describe.each(['running', 'stopped'])('while the daemon is %s', (how) => {
  it.each(Object.keys(attacks))('nothing is upgraded behind the gate by one who %s', async (name) => {
    await untilGate();
    const before = requested(fleet);
    if (how === 'stopped') daemon.kill();
    await edit(attacks[name]!);
    if (how === 'stopped') daemon = fleet.start();
    await fleet.run(900);
    expect(requested(fleet)).toEqual(before);
    expect(versionsOf(fleet)).toMatchObject({ 'prod-1': 'v1.30.9 v1.30.9', 'prod-2': 'v1.30.9 v1.30.9' });
  });
});

describe.each(['running', 'stopped'])('while the daemon is %s', (how) => {
  it('an approval gate is not passed by a time, nor does that stop the fleet', async () => {
    await untilGate();
    const before = requested(fleet);
    if (how === 'stopped') daemon.kill();
    await edit((run) => {
      run.status!.stages[1]!.beforeGates[0]!.absoluteStartTime = '2026-11-20T10:00:00Z';
    });
    if (how === 'stopped') daemon = fleet.start();
    await fleet.run(300);
    expect(requested(fleet)).toEqual(before);
    expect(daemon.plan().guard).toEqual([]);
  });

  it('what an earlier attempt skipped is not skipped again', async () => {
    const skip = [{ type: 'Stage', name: 'test' }];
    const twice = { updateStrategyId: 'test-then-prod', attempt: 2 };
    const fails = { upgrades: { controlPlaneSeconds: 10, nodeSeconds: 5, outcome: 'Fails' } };
    const gatedStages = [
      { name: 'test', groups: [{ name: 'test' }], afterGates: [{ type: 'Approval' }] },
      { name: 'prod', groups: [{ name: 'prod' }] },
    ];
    fleet = await VirtualFleet.open(
      {
        ...stagedFiles,
        ...upgradeStrategy(gatedStages),
        ...upgradeRun({ updateStrategyId: 'test-then-prod', skip }),
      },
      ...names.map((name) => simulatedMember(name, name === 'prod-1' ? fails : {})),
    );
    daemon = fleet.start();
    await fleet.until('it fails', async () => (await states(fleet))['run'] === 'Failed', 300);
    fleet.commit(upgradeRun(twice));
    const asks = 'gitfleet/approve/k8s-after-test';
    await fleet.until('the gate asks', () => fleet.repo.tip(asks) !== undefined, 300);
    const before = requested(fleet);
    if (how === 'stopped') daemon.kill();
    await edit((run) => {
      Object.assign(run.spec, { skip });
    });
    if (how === 'stopped') daemon = fleet.start();
    await fleet.run(300);
    expect(requested(fleet)).toEqual(before);
  });
});

it('a restart continues a run behind a gate of members that had nothing to do', async () => {
  fleet = await VirtualFleet.open(
    {
      ...stagedFiles,
      ...upgradeStrategy([
        { name: 'test', groups: [{ name: 'test' }], afterGates: [{ type: 'Approval' }] },
        { name: 'prod', groups: [{ name: 'prod' }] },
      ]),
    },
    ...names.map((name) => simulatedMember(name, name.startsWith('test') ? { kubernetesVersion: '1.31.5' } : {})),
  );
  daemon = fleet.start();
  await fleet.until('production starts', () => requested(fleet).length > 0, 300);
  daemon.kill();
  daemon = fleet.start();
  await fleet.until('the run is over', async () => (await states(fleet))['run'] === 'Completed', 600);
  expect(requested(fleet)).toEqual(['prod-1', 'prod-2']);
  expect(daemon.plan().problems).toEqual([]);
});

/** Gates in other places than before the last stage. */
const gated: Readonly<Record<string, { readonly stages: readonly object[]; readonly asks: string }>> = {
  'before the first stage': {
    stages: [
      { name: 'test', groups: [{ name: 'test' }], beforeGates: [{ type: 'Approval' }] },
      { name: 'prod', groups: [{ name: 'prod' }] },
    ],
    asks: 'k8s-before-test',
  },
  'before a group of the first stage': {
    stages: [{ name: 'all', groups: [{ name: 'prod', beforeGates: [{ type: 'Approval' }] }] }],
    asks: 'k8s-before-prod',
  },
  'after the first stage': {
    stages: [
      { name: 'test', groups: [{ name: 'test' }], afterGates: [{ type: 'Approval' }] },
      { name: 'prod', groups: [{ name: 'prod' }] },
    ],
    asks: 'k8s-after-test',
  },
};

const everywhere = (run: Run, members: object | undefined): void => {
  const startTime = '2026-11-20T10:00:00Z';
  run.status!.status = { state: 'Running', startTime };
  for (const stage of run.status!.stages) {
    stage.status = { state: 'Running', startTime };
    for (const scope of [stage, ...stage.groups])
      for (const it of [...scope.beforeGates, ...scope.afterGates])
        it.status = { state: 'Completed', startTime, completedTime: startTime };
    for (const group of members === undefined ? [] : stage.groups) {
      group.status = { state: 'Running', startTime };
      for (const member of group.members)
        Object.assign(member, { operationId: `k8s.${member.name}.forged`, type: 'Full', ...members });
    }
  }
};

describe.each(['running', 'stopped'])('while the daemon is %s, a gate before the first stage', (how) => {
  const skipGate = (run: Run): void => {
    run.status!.stages[0]!.beforeGates[0]!.status = { state: 'Skipped' };
  };
  it.each<[string, 'Completed' | 'Skipped' | 'Failed', object, (run: Run) => void]>([
    ['its members count as done', 'Completed', {}, () => {}],
    ['it counts as skipped, and its members as done', 'Completed', {}, skipGate],
    ['its members count as skipped', 'Skipped', {}, () => {}],
    ['its members count as failed, and all of them may fail', 'Failed', { maxAllowedFailures: '100%' }, () => {}],
  ])('is not passed when %s', async (_, state, ofStage, more) => {
    const { stages, asks } = gated['before the first stage']!;
    await untilGate(
      { ...stagedFiles, ...upgradeStrategy(stages.map((stage) => ({ ...stage, ...ofStage }))) },
      `gitfleet/approve/${asks}`,
    );
    const before = requested(fleet);
    if (how === 'stopped') daemon.kill();
    await edit((run) => {
      for (const member of run.status!.stages[0]!.groups[0]!.members) member.status = { state };
      more(run);
    });
    if (how === 'stopped') daemon = fleet.start();
    await fleet.run(900);
    expect(requested(fleet)).toEqual(before);
    if (state === 'Completed') expect(daemon.plan().problems.map(({ code }) => code)).toContain('record-mismatch');
  });
});

describe.each(['running', 'stopped'])('while the daemon is %s, a gate after members that were upgraded', (how) => {
  const test = { name: 'test', groups: [{ name: 'test' }] };
  const asked = [{ type: 'Approval' }];
  const places = {
    stage: { first: { ...test, afterGates: asked }, asks: 'k8s-after-test' },
    group: { first: { ...test, groups: [{ name: 'test', afterGates: asked }] }, asks: 'k8s-after-group-test' },
  };
  const closed = { state: 'NotStarted' as const };
  const forged: Readonly<Record<string, (member: Mutable<MemberUpgrade>) => void>> = {
    'not started': (member) => {
      member.status = closed;
    },
    'never started': (member) => {
      for (const field of ['operationId', 'type', 'from', 'to'] as const) delete member[field];
      member.status = closed;
    },
    'skipped as done by others': (member) => {
      delete member.operationId;
      member.status = { state: 'Skipped', error: { code: 'AlreadyAtTarget', message: 'it runs v1.31.5' } };
    },
    gone: (member) => {
      member.status = { state: 'Skipped', error: { code: 'MemberGone', message: 'test-1 left the fleet' } };
    },
  };
  it.each(
    (['stage', 'group'] as const).flatMap((place) => Object.keys(forged).map((claim) => [place, claim] as const)),
  )('of the same %s is not skipped when they count as %s', async (place, claim) => {
    const { first, asks } = places[place];
    await untilGate(
      { ...stagedFiles, ...upgradeStrategy([first, { name: 'prod', groups: [{ name: 'prod' }] }]) },
      `gitfleet/approve/${asks}`,
    );
    const before = requested(fleet);
    if (how === 'stopped') daemon.kill();
    await edit((run) => {
      const [stage] = run.status!.stages;
      for (const scope of [stage!, ...stage!.groups]) {
        scope.status = { state: 'Running', startTime: '2026-11-20T10:00:00Z' };
        for (const it of scope.afterGates) it.status = closed;
      }
      for (const member of stage!.groups[0]!.members) forged[claim]!(member);
    });
    if (how === 'stopped') daemon = fleet.start();
    await fleet.run(900);
    expect(requested(fleet)).toEqual(before);
    expect((await states(fleet))['test-1']).toBe('Completed');
  });
});

describe.each(['running', 'stopped'])('while the daemon is %s, gates that count as passed', (how) => {
  const startTime = '2026-11-20T10:00:00Z';
  const inFlight = { status: { state: 'Running', startTime }, to: { controlPlane: 'v1.31.5' } };
  const done = { status: { state: 'Completed', startTime, completedTime: startTime } };
  it.each<[string, string, object | undefined]>([
    ['before the first stage', 'without a member behind it', undefined],
    ['before the first stage', 'with members in flight behind it', inFlight],
    ['before a group of the first stage', 'with members behind it that are done', done],
    ['after the first stage', 'with members in flight behind it', inFlight],
  ])('%s, %s, let nothing start', async (place, _, members) => {
    const { stages, asks } = gated[place]!;
    await untilGate({ ...stagedFiles, ...upgradeStrategy(stages) }, `gitfleet/approve/${asks}`);
    const before = requested(fleet);
    if (how === 'stopped') daemon.kill();
    await edit((run) => everywhere(run, members));
    if (how === 'stopped') daemon = fleet.start();
    await fleet.run(120);
    expect(requested(fleet)).toEqual(before);
    expect(versionsOf(fleet)).toMatchObject({ 'prod-1': 'v1.30.9 v1.30.9', 'prod-2': 'v1.30.9 v1.30.9' });
    expect(daemon.plan().problems.map(({ code }) => code)).toContain('record-mismatch');
  });
});

describe.each(['running', 'stopped'])('while the daemon is %s', (how) => {
  it.each<[string, number, (run: Run) => void]>([
    ['in flight', 2, (run) => start(run)],
    ['in flight, one alone', 1, (run) => start(run)],
    ['done', 1, (run) => start(run)],
  ])('a withdrawn approval is not replayed by members that count as %s (%d)', async (state, count, claim) => {
    await untilGate();
    const before = requested(fleet);
    const asked = await fleet.repo.files(gate);
    const approval = Object.keys(asked).find((path) => path.startsWith('approvals/'))!;
    daemon.kill();
    const merged = fleet.commit({ [approval]: asked[approval]! });
    fleet.commit({ [approval]: undefined });
    daemon = fleet.start();
    await fleet.run(30);
    if (how === 'stopped') daemon.kill();
    await edit((run) => {
      const { members } = run.status!.stages[1]!.groups[0]!;
      const others = structuredClone(members.slice(count));
      passGate(run);
      claim(run);
      members.splice(count, others.length, ...others);
      if (state === 'done') members[0]!.status = { state: 'Completed' };
      run.metadata.annotations!['gitfleet.dev/approved-in'] = `k8s-before-prod=${merged}`;
    });
    if (how === 'stopped') daemon = fleet.start();
    await fleet.run(300);
    expect(requested(fleet)).toEqual(before);
  });
});

it('a forged operation in an open stage is decided anew: its member gets what the file names, once', async () => {
  const window = {
    'maintenance.yaml': JSON.stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'MaintenanceConfiguration',
      metadata: { name: 'night' },
      spec: {
        clusterName: 'test-1',
        maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime: '22:00', durationHours: 4 },
      },
    }),
  };
  fleet = await VirtualFleet.open({ ...stagedFiles, ...window }, ...names.map((name) => simulatedMember(name)));
  daemon = fleet.start();
  await fleet.until('it waits', async () => (await states(fleet))['test-1'] === 'Pending WindowClosed', 120);
  daemon.kill();
  await edit((run) => {
    Object.assign(run.status!.stages[0]!.groups[0]!.members[0]!, {
      status: { state: 'Running', startTime: '2026-11-20T10:00:10Z' },
      operationId: 'k8s.test-1.20261120T100010Z',
      type: 'Full',
      to: { controlPlane: 'v1.31.5' },
    });
  });
  daemon = fleet.start();
  await fleet.run(600);
  expect(requested(fleet)).not.toContain('test-1');
  expect((await states(fleet))['test-1']).toBe('Pending WindowClosed');
});

it('a forged version of an operation in flight counts as a lost run', async () => {
  fleet = await VirtualFleet.open(stagedFiles, ...names.map((name) => simulatedMember(name)));
  daemon = fleet.start();
  await fleet.until('it starts', () => requested(fleet).length > 0, 120);
  daemon.kill();
  await edit((run) => {
    run.status!.stages[0]!.groups[0]!.members[0]!.to = { controlPlane: 'v1.32.1' };
  });
  daemon = fleet.start();
  await fleet.run(300);
  expect(versionsOf(fleet)['test-1']).toBe('v1.31.5 v1.31.5');
  expect(daemon.plan().problems.map(({ code }) => code)).toContain('record-mismatch');
});

it('a restart continues a run behind an approved gate, also after its approval file was removed', async () => {
  await untilGate();
  const asked = await fleet.repo.files(gate);
  const approval = Object.keys(asked).find((path) => path.startsWith('approvals/'))!;
  fleet.commit({ [approval]: asked[approval]! });
  await fleet.until('production starts', () => requested(fleet).length > 2, 120);
  daemon.kill();
  fleet.commit({ [approval]: undefined });
  daemon = fleet.start();
  await fleet.until('the run is over', async () => (await states(fleet))['run'] === 'Completed', 300);
  expect(requested(fleet).toSorted()).toEqual(names.toSorted());
  expect(daemon.plan().problems).toEqual([]);
});
