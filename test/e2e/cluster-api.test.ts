import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { UpgradeRunStatus } from '../../src/api/upgrade-status.ts';
import { manualClock } from '../../src/simulator/clock.ts';
import { kubeconfigOf } from '../../src/simulator/kubeconfig.ts';
import { type Listening, listen } from '../../src/simulator/listen.ts';
import { openMember } from '../../src/simulator/member.ts';
import { FakeClusterApi } from '../members/upgrade/worlds/fake-cluster-api.ts';
import { upgradeRun } from '../support/cluster-upgrades.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { gitThere } from '../support/git-repository.ts';
import { endAll, fleetRepo, Gitfleet, recorded, until } from './processes.ts';

const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  await endAll();
  for (const end of ends.splice(0)) await end();
});
afterAll(removeFolders);

/** A management cluster, and the member of its Cluster, each with an API server on a port. Time there passes 40 times as fast. */
async function startManagement(): Promise<{
  readonly kubeconfig: string;
  readonly fake: FakeClusterApi;
  readonly secret: string;
}> {
  const clock = manualClock(Date.parse('2026-11-20T10:00:00Z'));
  const fake = await FakeClusterApi.open(clock, true);
  const member = await openMember({ name: 'eu-1', kubernetesVersion: '1.30.9' }, clock);
  const listening: Listening = await listen(new Map([fake.member, member].map((one) => [one.name, one])));
  const timer = setInterval(() => clock.advance(2_000), 50);
  ends.push(() => clearInterval(timer), listening.close, fake.member.close, member.close);
  const value = Buffer.from(kubeconfigOf(['eu-1'], listening.urlOf)).toString('base64');
  await fake.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'eu-1-kubeconfig', namespace: 'fleet' },
    type: 'cluster.x-k8s.io/secret',
    data: { value },
  });
  const kubeconfig = join(folder(), 'management.kubeconfig');
  writeFileSync(kubeconfig, kubeconfigOf(['management'], listening.urlOf));
  return { kubeconfig, fake, secret: value };
}

const member = {
  apiVersion: 'cluster.kubernetes-fleet.io/v1beta1',
  kind: 'MemberCluster',
  metadata: {
    name: 'eu-1',
    annotations: { 'gitfleet.dev/upgrade-provider': 'cluster-api', 'gitfleet.dev/upgrade-ref': 'fleet/eu-1' },
  },
  spec: {},
};

describe.skipIf(!gitThere)('a daemon of its own process with --cluster-api', () => {
  it('upgrades a Cluster through its management cluster, and reaches its member by the Secret there', async () => {
    const { kubeconfig, fake, secret } = await startManagement();
    const { bare } = fleetRepo({ 'clusters/eu-1.yaml': JSON.stringify(member), ...upgradeRun({}) });
    const members = join(folder(), 'members.kubeconfig');
    writeFileSync(
      members,
      kubeconfigOf([], () => ''),
    );
    const daemon = new Gitfleet([
      ...['run', '--repo', bare, '--members', members, '--cluster-api', kubeconfig, '--cache-dir', folder()],
      ...['--interval', '1s', '--publish-interval', '0s', '--listen', 'off', '--log-format', 'json'],
    ]);
    const status = (): UpgradeRunStatus | undefined => {
      const text = recorded(bare, 'upgrades/k8s.yaml');
      return text === '' ? undefined : (parse(text) as { status?: UpgradeRunStatus }).status;
    };
    await until('the run is over', () => status()?.status.state === 'Completed').catch((error: unknown) => {
      throw new Error(`${String(error)}\n${recorded(bare, 'upgrades/k8s.yaml')}\n${daemon.output}`);
    });
    expect(status()?.stages[0]?.groups[0]?.members[0]).toMatchObject({
      name: 'eu-1',
      from: { controlPlane: 'v1.30.9' },
      to: { controlPlane: 'v1.31.5', pools: [{ name: 'md-0', kubernetes: 'v1.31.5' }, { name: 'md-1' }] },
    });
    expect(fake.get('clusters', 'eu-1')).toMatchObject({ spec: { topology: { version: 'v1.31.5' } } });
    await daemon.end('SIGTERM');
    expect(daemon.child.exitCode).toBe(0);
    expect(daemon.output).not.toContain(secret);
  }, 600_000);
});
