import { describe, expect, it } from 'vitest';
import { carriedOut, member, type Planned, placement, plan, shop } from '../../../support/plan-command.ts';
import { all, both, carried, clusters, inRegion, patch, ro } from './setting.ts';

describe('a change of an override', () => {
  const override = (value: string, ref = ''): string =>
    ro('o', patch(all, `{op: add, path: /data/x, value: "${value}"}`), ref);
  /** Only what is available as soon as it is there. */
  const repo = (...overrides: readonly string[]) => ({
    'clusters.yaml': clusters,
    'resources/shop.yaml': shop,
    'overrides.yaml': overrides,
    'web.yaml': placement('placementType: PickAll'),
  });
  const thenPlan = (first: Planned, of: Readonly<Record<string, string | readonly string[]>>, members = clusters) =>
    plan({
      repo: { ...of, 'clusters.yaml': members },
      recorded: first.recorded,
      observed: carriedOut(first, ['eu', 'us']),
    });
  const moves = ({ placement: of }: Planned): string =>
    of()
      .bindings.map(({ clusterName, move }) => `${clusterName} ${move}`)
      .join(', ');

  it('that names the placement starts a rollout, with a new snapshot of it', async () => {
    const ref = '  placement: {name: web}\n';
    const first = await plan({ repo: repo(override('1', ref)), observed: both });
    const next = await thenPlan(first, repo(override('2', ref)));
    // maxUnavailable 25 % of two clusters is one
    expect(moves(next)).toBe('eu update, us wait');
    expect(carried(next, 'eu')).toBe('shop/o-1');
    expect(Object.keys(next.recorded).filter((path) => path.startsWith('overrides/'))).toEqual(
      expect.arrayContaining(['overrides/shop.o/0.yaml', 'overrides/shop.o/1.yaml']),
    );
    expect(next.placement().resourceSnapshotIndex).toBe(0);
  });

  it('that names none waits for the next rollout and rides along', async () => {
    const first = await plan({ repo: repo(override('1')), observed: both });
    const next = await thenPlan(first, repo(override('2')));
    expect(moves(next)).toBe('eu keep, us keep');
    expect(carried(next, 'eu')).toBe('shop/o-0');
    const rolled = await thenPlan(next, {
      ...repo(override('2')),
      'resources/shop.yaml': shop.replace('"1"', '"9"'),
    });
    expect(moves(rolled)).toBe('eu update, us wait');
    expect(carried(rolled, 'eu')).toBe('shop/o-1');
  });

  it('that removes it starts a rollout', async () => {
    const first = await plan({ repo: repo(override('1')), observed: both });
    const next = await thenPlan(first, repo());
    expect(moves(next)).toBe('eu update, us wait');
    expect(carried(next, 'eu')).toBe('');
  });

  it("of a cluster's labels is looked at again", async () => {
    const onlyEu = ro('o', patch(inRegion('eu'), '{op: add, path: /data/x, value: x}'));
    const first = await plan({ repo: repo(onlyEu), observed: both });
    expect([carried(first, 'eu'), carried(first, 'us')]).toEqual(['shop/o-0', '']);
    const next = await thenPlan(first, repo(onlyEu), [
      member('eu', { labels: { region: 'us' } }),
      member('us', { labels: { region: 'us' } }),
    ]);
    expect(moves(next)).toBe('eu update, us keep');
    expect(carried(next, 'eu')).toBe('');
  });

  it('is held where another override came to select the same resource: the one in effect keeps it', async () => {
    const z = (value: string) => ro('z', patch(all, `{op: replace, path: /data/apple, value: "${value}"}`));
    const a = ro('a', patch(all, '{op: replace, path: /data/apple, value: "a"}'));
    const first = await plan({ repo: repo(z('1')), observed: both });
    const next = await thenPlan(first, repo(a, z('2')));
    expect(next.plan.problems.map(({ code, message }) => `${code} ${message.replace(/ \(also.*/, '')}`).sort()).toEqual(
      [
        'override-collision ResourceOverride shop/a: ConfigMap prices is already selected by override z, which stays as last recorded',
        'override-collision ResourceOverride shop/z: ConfigMap prices is already selected by override a',
      ],
    );
    expect(Object.keys(next.recorded).filter((path) => path.startsWith('overrides/'))).toEqual([
      'overrides/shop.z/0.yaml',
    ]);
    expect(carried(next, 'eu')).toBe('shop/z-0');
    const fixed = await thenPlan(next, repo(z('2')));
    expect(fixed.plan.problems).toEqual([]);
    expect(fixed.recorded['overrides/shop.z/1.yaml']).toContain('value: "2"');
  });

  it('is one too many only where it is new: a hundred that are there keep their place, whatever the names of files', async () => {
    const many = (from: number, count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
          `overrides/${at}.yaml`,
          ro(`o-${from + at}`, patch(all, '{op: add, path: /data/x, value: x}')).replaceAll(
            'prices',
            `prices-${from + at}`,
          ),
        ]),
      );
    const inForce = (step: Awaited<ReturnType<typeof plan>>) =>
      Object.keys(step.recorded).filter((path) => path.startsWith('overrides/'));
    const base = repo();
    const full = await plan({ repo: { ...base, ...many(101, 100) }, observed: both });
    expect([full.code, inForce(full).length]).toEqual([1, 100]);
    const next = await thenPlan(full, { ...base, ...many(101, 100), 'a.yaml': many(100, 1)['overrides/0.yaml']! });
    const errors = next.plan.problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      ['too-many-overrides', expect.stringContaining('there are 101 ResourceOverrides in namespace shop')],
    ]);
    expect(inForce(next)).toEqual(inForce(full));
    const fresh = await plan({ repo: { ...base, ...many(101, 102) }, observed: both });
    expect(inForce(fresh)).toEqual(inForce(full));
  });

  it('to another placement is refused: it stays with the one it had', async () => {
    const first = await plan({ repo: repo(override('1', '  placement: {name: web}\n')), observed: both });
    const next = await thenPlan(first, repo(override('2', '  placement: {name: other}\n')));
    expect(next.plan.problems).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'immutable-field',
        file: 'overrides.yaml',
        path: 'spec.placement',
        fix: expect.stringContaining('new name'),
      }),
    ]);
    expect(next.code).toBe(2);
    expect(next.plan.holds).toEqual([
      expect.objectContaining({
        subject: { kind: 'ResourceOverride', name: 'o', namespace: 'shop' },
        reason: 'LastGoodVersion',
      }),
    ]);
    expect(moves(next)).toBe('eu keep, us keep');
    expect(carried(next, 'eu')).toBe('shop/o-0');
  });
});
