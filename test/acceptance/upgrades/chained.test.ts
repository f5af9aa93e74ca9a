import { describe, expect, it } from 'vitest';
import type { UpgradeTarget } from '../../../src/engine/plan-document.ts';
import { upgradeMember, upgradeRun } from '../../support/cluster-upgrades.ts';
import { type Case, type Planned, plan, seen } from '../../support/plan-command.ts';

const repo = { ...upgradeMember('a'), ...upgradeMember('b'), ...upgradeRun({}) };
const runs = (name: string, version: string, upgrade?: object) =>
  seen(name, {
    versions: { controlPlane: version, pools: [{ name: 'np1', kubernetes: version }] },
    ...(upgrade && { upgrade }),
  });

const upgradesOf = ({ plan: { targets } }: Planned): string[] =>
  (targets as unknown as UpgradeTarget[]).map(({ clusterName, upgrade }) => `${clusterName} ${upgrade.operationId}`);
const state = ({ plan: { upgrades } }: Planned): string | undefined =>
  upgrades[0]?.kind === 'UpdateRun' ? upgrades[0].status.status.state : undefined;

/** One plan after the other, each with the record of the one before. */
async function chained(...steps: readonly Omit<Case, 'repo' | 'recorded'>[]): Promise<Planned[]> {
  const done: Planned[] = [];
  for (const step of steps)
    done.push(await plan({ repo, ...step, ...(done.length > 0 && { recorded: done.at(-1)!.recorded }) }));
  return done;
}

describe('gitfleet plan, chained by --out-recorded and --now', () => {
  it('plans a run from its start to its end; the exit code is 1 while something is in flight', async () => {
    const steps = await chained(
      { observed: [runs('a', 'v1.30.9'), runs('b', 'v1.30.9')], now: '2026-11-20T10:00:00Z' },
      {
        observed: [runs('a', 'v1.30.9', { target: 'k8s.a.20261120T100000Z', phase: 'Running' }), runs('b', 'v1.30.9')],
        now: '2026-11-20T10:05:00Z',
      },
      { observed: [runs('a', 'v1.31.5'), runs('b', 'v1.30.9')], now: '2026-11-20T10:10:00Z' },
      { observed: [runs('a', 'v1.31.5'), runs('b', 'v1.31.5')], now: '2026-11-20T10:20:00Z' },
    );
    expect(steps.map((step) => [step.code, state(step), ...upgradesOf(step)])).toEqual([
      [1, 'Running', 'a k8s.a.20261120T100000Z'],
      [1, 'Running', 'a k8s.a.20261120T100000Z'],
      [1, 'Running', 'b k8s.b.20261120T101000Z'],
      [0, 'Completed'],
    ]);
  });

  it('one that waits has nothing to do', async () => {
    const [only] = await chained({
      observed: [runs('a', 'v1.30.9', { phase: 'Running' }), runs('b', 'v1.31.5')],
      now: '2026-11-20T10:00:00Z',
    });
    expect([only!.code, state(only!)]).toEqual([0, 'Pending']);
    expect(only!.plan.holds.map(({ reason, subject }) => `${reason} ${subject.clusterName}`)).toEqual([
      'ClusterBusy a',
    ]);
  });

  it('reads what clients request of a member from its observation', async () => {
    const api = { group: 'example.k8s.io', version: 'v1beta1', resource: 'things', removedRelease: '1.31' };
    const versions = { controlPlane: 'v1.30.9', pools: [{ name: 'np1', kubernetes: 'v1.30.9' }] };
    const [only] = await chained({
      observed: [seen('a', { versions, preflight: { requestedApis: [api] } }), runs('b', 'v1.31.5')],
      now: '2026-11-20T10:00:00Z',
    });
    expect([only!.code, upgradesOf(only!)]).toEqual([0, []]);
    expect(only!.plan.holds.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'PreflightBlocked: a waits: it is not ready for an upgrade: ApiBreakingChange (clients request example.k8s.io/v1beta1 things (removed in 1.31): the upgrade to v1.31.5 ends that)',
    ]);
  });

  it('without observations it keeps the region that a member was last observed in', async () => {
    const catalog = {
      'catalog.yaml': JSON.stringify({
        apiVersion: 'gitfleet.dev/v1alpha1',
        kind: 'VersionCatalog',
        metadata: { name: 'all' },
        spec: { regions: [{ name: 'eu', kubernetesVersions: [{ version: '1.30.9' }] }] },
      }),
    };
    const inEurope = { controlPlane: 'v1.30.9', region: 'eu' };
    const observed = [seen('a', { versions: inEurope }), seen('b')];
    let step = await plan({ repo: { ...repo, ...catalog }, observed });
    for (const now of ['2026-11-20T10:05:00Z', '2026-11-20T10:10:00Z']) {
      step = await plan({ repo: { ...repo, ...catalog }, recorded: step.recorded, now });
      expect(step.plan.holds.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
        'KubernetesVersionNotAvailable: a waits: Kubernetes v1.31.5 is not available in eu yet',
      ]);
      expect(upgradesOf(step).map((text) => text[0])).toEqual(['b']);
    }
  });
});
