import { describe, expect, it } from 'vitest';
import { settledFleet, settles, web } from '../../support/small-fleet.ts';
import type { VirtualDaemon } from '../../support/virtual-fleet.ts';

const planOf = ({ passes }: VirtualDaemon) => {
  const last = passes.at(-1)!;
  return last.kind === 'moved' ? undefined : last.plan;
};

/** A fleet whose last plan changed nothing. */
async function rested() {
  const { fleet, one } = await settledFleet();
  await fleet.until('a pass that changes nothing', () => one.passes.at(-1)?.kind === 'unchanged', 60);
  return { fleet, one, plan: planOf(one) };
}

describe('a daemon at rest', () => {
  it('does not plan again, with or without heartbeats', async () => {
    const { fleet, one, plan } = await rested();
    const [passes, asked] = [one.passes.length, fleet.requests.length];
    await fleet.run(120);
    expect(one.passes.length).toBeGreaterThan(passes + 5);
    expect(fleet.requests.slice(asked).some((line) => line.includes('/readyz'))).toBe(true);
    expect(planOf(one)).toBe(plan);
  });

  it('plans again after five minutes nevertheless', async () => {
    const { fleet, one, plan } = await rested();
    await fleet.run(330);
    expect(planOf(one)).not.toBe(plan);
    expect(one.passes.at(-1)!.kind).toBe('unchanged');
  });

  it('plans at once for a commit', async () => {
    const { fleet, one } = await rested();
    fleet.commit(web('web:2'));
    await fleet.until('the commit is planned for', () => planOf(one)?.commit === fleet.repo.tip('main'), 30);
    await settles(fleet, one);
  });

  it('plans again for a member that stops responding', async () => {
    const { fleet, one, plan } = await rested();
    fleet.fault('b', { type: 'Unreachable' });
    await fleet.until('another plan', () => planOf(one) !== plan, 120);
  });
});
