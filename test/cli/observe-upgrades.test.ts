import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Plan } from '../../src/engine/plan-document.ts';
import { systemClock } from '../../src/members/clock.ts';
import { upgradePath } from '../../src/members/upgrade/simulated.ts';
import { kubeconfigOf } from '../../src/simulator/kubeconfig.ts';
import { type Listening, listen } from '../../src/simulator/listen.ts';
import { openMember, type SimulatedMember } from '../../src/simulator/member.ts';
import { upgradeMember, upgradeRun } from '../support/cluster-upgrades.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { commit, sh } from '../support/git-repository.ts';
import { cli } from '../support/run-cli.ts';

const api = { group: 'example.k8s.io', version: 'v1beta1', resource: 'things', removedRelease: '1.33' };
const dir = folder();
const kubeconfig = join(folder(), 'kubeconfig');
let member: SimulatedMember;
let listening: Listening;

beforeAll(async () => {
  const upgrades = { controlPlaneSeconds: 3_600, nodeSeconds: 3_600, outcome: 'Succeeds' as const };
  const of = { kubernetesVersion: '1.30.9', region: 'north', requestedApis: [api], upgrades };
  member = await openMember({ name: 'eu-1', ...of }, systemClock);
  listening = await listen(new Map([['eu-1', member]]));
  writeFileSync(
    kubeconfig,
    kubeconfigOf(['eu-1'], (name) => listening.urlOf(name)),
  );
  sh(dir, 'init', '-q');
  commit(dir, { ...upgradeMember('eu-1'), ...upgradeRun({}) }, 'Begin the fleet');
});
afterAll(async () => {
  await listening.close();
  member.close();
  removeFolders();
});

/** What `observe` writes of eu-1, and what `plan` does with it. */
async function observed() {
  const out = folder();
  const ran = await cli('observe', '--repo', dir, '--members', kubeconfig, '--out', out);
  expect(ran).toMatchObject({ code: 0, err: '' });
  const { versions, upgrade, preflight } = parse(readFileSync(join(out, 'eu-1.yaml'), 'utf8'));
  const planned = await cli('plan', '--repo', dir, '--observed', out, '-o', 'json');
  return { versions, upgrade, preflight, plan: JSON.parse(planned.out) as Plan, code: planned.code };
}

it('gitfleet observe writes versions, upgrade and preflight of a member, and a plan starts from them', async () => {
  const before = await observed();
  expect(before.versions).toMatchObject({
    controlPlane: 'v1.30.9',
    region: 'north',
    pools: [{ name: 'node', kubernetes: 'v1.30.9' }],
  });
  expect(before.preflight).toEqual({ done: true, requestedApis: [api], findings: [] });
  expect(before.upgrade).not.toHaveProperty('phase');
  expect([before.code, before.plan.targets]).toMatchObject([
    1,
    [{ clusterName: 'eu-1', upgrade: { run: 'k8s', controlPlane: 'v1.31.5' } }],
  ]);

  const operationId = 'k8s.eu-1.20261120T100000Z';
  const begun = await fetch(`${listening.urlOf('eu-1')}${upgradePath}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ operationId, controlPlane: 'v1.31.5' }),
  });
  expect(begun.ok).toBe(true);
  const during = await observed();
  expect(during.upgrade).toMatchObject({
    target: operationId,
    phase: 'Running',
    lastOperation: operationId,
    since: expect.any(String),
  });
  expect(during.plan.targets).toEqual([]);
  expect(during.plan.holds).toMatchObject([{ reason: 'ClusterBusy', subject: { clusterName: 'eu-1' } }]);
});

it('gitfleet observe writes that nodes can be launched in mode execute, and changes nothing', async () => {
  const [[file, text]] = Object.entries(upgradeMember('eu-1')) as [[string, string]];
  const written = JSON.parse(text);
  written.metadata.annotations['gitfleet.dev/node-disruption'] = 'execute';
  commit(dir, { [file]: JSON.stringify(written) }, 'Execute');
  const before = await nodesOf();
  const out = folder();
  await cli('observe', '--repo', dir, '--members', kubeconfig, '--out', out);
  expect(parse(readFileSync(join(out, 'eu-1.yaml'), 'utf8'))).toMatchObject({ launches: [] });
  expect(await nodesOf()).toEqual(before);
});

const nodesOf = async () => (await fetch(`${listening.urlOf('eu-1')}/api/v1/nodes`)).json();
