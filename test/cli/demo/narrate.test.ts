import { expect, it } from 'vitest';
import { narrate } from '../../../src/cli/demo/narrate.ts';
import type { Hold, Plan } from '../../../src/engine/plan-document.ts';

const planHeldBy = (...holds: Hold[]): Plan =>
  ({ placements: [], runs: [], guard: [], problems: [], holds }) as unknown as Plan;

it('a wait is told once, without what its line says already and without milliseconds', () => {
  const hold: Hold = {
    subject: { kind: 'ClusterStagedUpdateRun', name: 'web-1', stage: 'canary' },
    reason: 'WaitingForTime',
    message:
      'run web-1: stage canary finished at 2026-11-20T10:00:00.949Z and soaks for 1m0s, until 2026-11-20T10:01:00.949Z',
  };
  const plan = planHeldBy(hold);
  expect(narrate(undefined, plan)).toEqual([
    {
      tone: 'waiting',
      subject: 'web-1',
      text: 'stage canary finished at 2026-11-20T10:00:00Z and soaks for 1m0s, until 2026-11-20T10:01:00Z',
    },
  ]);
  expect(narrate(plan, plan)).toEqual([]);
});
