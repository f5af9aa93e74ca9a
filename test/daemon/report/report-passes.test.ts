import { expect, it } from 'vitest';
import type { Problem } from '../../../src/api/problem.ts';
import type { FleetMembers } from '../../../src/daemon/members.ts';
import type { PassResult } from '../../../src/daemon/pass/pass-result.ts';
import type { Logger } from '../../../src/daemon/report/log.ts';
import { metrics } from '../../../src/daemon/report/metrics.ts';
import { passReporter } from '../../../src/daemon/report/report-passes.ts';
import type { Fleet } from '../../../src/engine/input.ts';
import type { Plan } from '../../../src/engine/plan-document.ts';
import type { Clock } from '../../../src/members/clock.ts';

const problem = (severity: Problem['severity'], message: string, line = 1): Problem => ({
  severity,
  code: 'unknown-property',
  file: 'a.yaml',
  line,
  message,
});

function teller(problems = true) {
  const lines: string[] = [];
  const say = (level: string) => (_: object, message: string) => lines.push(`${level} ${message}`);
  const tell = passReporter({
    log: { info: say('info'), debug: () => {}, warn: say('warn'), error: say('error') } as unknown as Logger,
    metrics: metrics(),
    members: { observations: () => new Map(), busy: () => 0, requests: () => 0 } as unknown as FleetMembers,
    pace: { now: () => 0 } as Clock,
    problems,
  });
  return {
    lines,
    tell(kind: PassResult['kind'], ...found: Problem[]) {
      const plan = {
        problems: found,
        placements: [],
        nodes: [],
        holds: [],
        approvals: [],
        guard: [],
        runs: [],
        targets: [],
        upgrades: [],
        record: new Map(),
      };
      const fleet = { members: [], versionCatalogs: [] };
      tell({
        result: { kind, plan: plan as unknown as Plan, fleet: fleet as unknown as Fleet } as PassResult,
        seconds: 0,
        reasons: [],
      });
    },
  };
}

it('a problem is logged once, even if its line moves, and again when it returns', () => {
  const { lines, tell } = teller();
  tell('unchanged', problem('warning', 'no such placement'), problem('error', 'bad'), problem('info', 'by the way'));
  tell('unchanged', problem('warning', 'no such placement', 7));
  tell('unchanged', problem('warning', 'no such placement', 7), problem('error', 'bad'));
  expect(lines).toEqual(['warn no such placement', 'error bad', 'error bad']);
});

it('a refusal is logged once, and again when it returns', () => {
  const { lines, tell } = teller();
  for (const kind of ['refused', 'refused', 'unchanged', 'refused'] as const) tell(kind);
  expect(lines).toEqual(['warn refused by the guard', 'warn refused by the guard']);
});

it('gathered plans report no problems, nor do passes whose caller reports them', () => {
  const { lines, tell } = teller();
  tell('gathering', problem('error', 'bad'));
  const other = teller(false);
  other.tell('unchanged', problem('error', 'bad'));
  expect([...lines, ...other.lines]).toEqual([]);
});
