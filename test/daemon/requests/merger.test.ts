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

it('is asked of a forge that hangs once in a minute, whatever was approved', async () => {
  const forge = new TestForge('github', memoryHost(new MemoryRepo(() => 0)), Date.now);
  let isHanging = true;
  forge.fault = () => (isHanging ? 'hangs' : undefined);
  const opened = openForge({
    named: { kind: 'github', repository: 'acme/fleet', baseURL: 'https://forge.example' },
    repo: 'memory',
    env: { GITFLEET_FORGE_TOKEN: 'right-token', GITFLEET_FORGE_HOST: 'forge.example' },
    fetch: forge.fetch,
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
    const asked = requests.mergedBy('web-1-after-dev', undefined).then(() => {
      isOver = true;
    });
    while (!isOver) await vi.advanceTimersByTimeAsync(100);
    await asked;
    return Math.round((Date.now() - began) / 1_000);
  };
  expect([await seconds(), await seconds(), await seconds()]).toEqual([2, 0, 0]);
  expect(forge.requests).toHaveLength(1);
  isHanging = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect([await seconds(), await seconds()]).toEqual([0, 0]);
  expect(forge.requests).toHaveLength(3);
});
