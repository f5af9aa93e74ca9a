import { afterAll, describe, expect, it } from 'vitest';
import type { ClusterName, Condition } from '../../src/api/meta.ts';
import { snapshotText } from '../../src/report/applied-snapshot.ts';
import { renderDashboard } from '../../src/report/dashboard.ts';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { removeFolders } from '../support/folders.ts';
import { deployment } from '../support/paper-fleet.ts';
import { cli } from '../support/run-cli.ts';
import { shop } from '../support/shop.ts';

afterAll(removeFolders);

const is = (type: string, status: Condition['status'], reason = ''): Condition => ({ type, status, reason });

describe('the snapshot that a cluster runs', () => {
  it.each<[string, number | undefined, Condition | undefined, boolean, string]>([
    ['is applied', undefined, is('Applied', 'True'), false, '1'],
    ['was applied when the cluster responded last', undefined, is('Applied', 'True'), true, '1'],
    ['is new to a cluster that does not respond', undefined, undefined, true, '→ 1, not reached'],
    ['is newer than what a cluster has that does not respond', 0, undefined, true, '0 → 1, not reached'],
    ['is to be applied', 0, undefined, false, '0 → 1, not applied'],
    ['is being applied', 0, is('Applied', 'False', 'ApplyInProgress'), false, '0 → 1, being applied'],
    ['fails', 0, is('Applied', 'False', 'NotAllWorkHaveBeenApplied'), false, '0 → 1, apply failed'],
    ['failed after it was applied', 1, is('Applied', 'False', 'NotAllWorkHaveBeenApplied'), false, '1, apply failed'],
    ['is only compared', 0, is('DiffReported', 'True'), false, '0 → 1, only compared'],
    ['is being compared', 0, is('DiffReported', 'False', 'DiffReportInProgress'), false, '0 → 1, being compared'],
    ['cannot be compared', undefined, is('DiffReported', 'False', 'NotAll'), false, '→ 1, comparison failed'],
  ])('%s', (_, applied, condition, isUnreachable, text) => {
    const binding = {
      resourceSnapshotIndex: 1,
      ...(applied !== undefined && { appliedResourceSnapshotIndex: applied }),
      conditions: condition ? [condition] : [],
    };
    expect(snapshotText(binding, isUnreachable)).toBe(text);
  });

  it('is unknown before one is assigned', () => {
    expect(snapshotText({ conditions: [] }, false)).toBeUndefined();
  });
});

it('a snapshot that never reached its cluster is not shown as running, until it is applied', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  fleet.paper.down.add('us-1');
  fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2') }, 'web 2');
  const plan = await fleet.settle();
  const { fleet: loaded, record } = await fleet.paper.input();
  const readme = renderDashboard(plan, {
    branch: 'main',
    unreachable: new Map([['us-1' as ClusterName, { cause: 'timeout' }]]),
    notRolledOut: [],
    before: { record, files: fleet.paper.record },
    fleet: loaded,
  });
  expect(readme).toContain(' | us |  | web (0 → 1, not reached), web/settings (0) |\n');
  expect(readme).toContain(' | eu |  | web (1), web/settings (0) |\n');
  const run = async (...args: string[]) => (await cli(...args, '--repo', fleet.dir)).out;
  expect(await run('get', 'binding', 'web-us-1')).toContain('0 → 1, not applied');
  expect(await run('describe', 'binding', 'web-us-1')).toContain('Snapshot:   0 → 1, not applied (the latest)\n');
  expect(await run('describe', 'placement', 'web')).toContain('us-1: Bound, snapshot 0 → 1, not applied\n');
  expect(await run('describe', 'cluster', 'us-1')).toMatch(/web +Bound +0 → 1, not applied /);
  expect(await run('tree', 'web')).toContain('us-1  pending, Bound, snapshot 0 → 1, not applied');
  fleet.paper.down.delete('us-1');
  await fleet.pass();
  await fleet.settle();
  expect(await run('describe', 'binding', 'web-us-1')).toContain('Snapshot:   1, the latest\n');
  expect(fleet.git('show', 'fleet-status:placements/web/state.yaml')).not.toContain('appliedResourceSnapshotIndex');
});
