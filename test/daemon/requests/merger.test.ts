import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { metrics } from '../../../src/daemon/report/metrics.ts';
import { approvalRequests } from '../../../src/daemon/requests/approval-requests.ts';
import { openForge } from '../../../src/forge/open-forge.ts';
import { systemClock } from '../../../src/members/clock.ts';
import { memoryHost } from '../../forge/git-host.ts';
import { TestForge } from '../../forge/test-forge.ts';
import { MemoryRepo } from '../../support/memory-repo.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ['hangs', Number.POSITIVE_INFINITY, [2, 0, 0], 1],
  ['takes 1.4 s', 1_400, [1.4, 0.6, 0], 2],
])('is asked of a forge that %s for 2 s in a minute, whatever was approved', async (_, takesMs, waited, asked) => {
  const forge = new TestForge('github', memoryHost(new MemoryRepo(() => 0)), Date.now);
  let isSlow = true;
  const opened = openForge({
    named: { kind: 'github', repository: 'acme/fleet', baseURL: 'https://forge.example' },
    repo: 'memory',
    env: { GITFLEET_FORGE_TOKEN: 'right-token', GITFLEET_FORGE_HOST: 'forge.example' },
    async fetch(...request) {
      if (isSlow && takesMs === Number.POSITIVE_INFINITY) forge.fault = () => 'hangs';
      else if (isSlow) await new Promise((done) => setTimeout(done, takesMs));
      return forge.fetch(...request);
    },
    now: Date.now,
  });
  const requests = approvalRequests({
    open: () => opened,
    branch: 'main',
    pace: systemClock,
    metrics: metrics(),
    changed: () => {},
  });
  const seconds = async (): Promise<number> => {
    const began = Date.now();
    let isOver = false;
    const told = requests.decidedBy('web-1-after-dev', undefined).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    while (!isOver) await vi.advanceTimersByTimeAsync(100);
    await told;
    return Math.round((Date.now() - began) / 100) / 10;
  };
  expect([await seconds(), await seconds(), await seconds()]).toEqual(waited);
  await vi.advanceTimersByTimeAsync(takesMs === 1_400 ? 2_000 : 0);
  expect(forge.requests).toHaveLength(asked);
  isSlow = false;
  forge.fault = () => undefined;
  await vi.advanceTimersByTimeAsync(60_000);
  expect([await seconds(), await seconds()]).toEqual([0, 0]);
  expect(forge.requests).toHaveLength(asked + 2);
});
