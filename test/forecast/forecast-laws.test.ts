import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../src/api/staged.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { environments, runFile, strategyFile, withEverybody } from '../scenarios/staged-files.ts';
import { drawn } from '../support/law-runs.ts';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';
import { drawnStage } from './drawn-stage.ts';

const assumptions = {
  readyAfterMs: 90_000,
  upgradedAfterMs: 1_800_000,
  approveAfterMs: 600_000,
  untilMs: 14 * 86_400_000,
};

const given = fc.record({
  stages: fc.uniqueArray(drawnStage, { minLength: 1, maxLength: 3, selector: ({ environment }) => environment }),
  clusters: fc.array(fc.constantFrom(...environments), { minLength: 1, maxLength: 7 }),
  maxUnavailable: fc.constantFrom(1, 2, '50%'),
  gone: fc.nat(6),
});

type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

const filesOf = ({ stages, clusters, maxUnavailable }: Given): Record<string, string> => ({
  ...Object.fromEntries(clusters.map((env, at) => [`clusters/c-${at}.yaml`, member(`c-${at}`, { env })])),
  'strategy.yaml': strategyFile(withEverybody(stages)),
  'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
  'shop.yaml': placement(
    'shop',
    '{placementType: PickAll}',
    `{type: RollingUpdate, rollingUpdate: {maxUnavailable: ${maxUnavailable}, maxSurge: 1}}`,
  ),
  'run-1.yaml': runFile('r1', 'Run', undefined),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
  'resources/shop.yaml': deployment('shop', 'shop', 'shop:1'),
});

/** What a plan starts, in one group for each instant. */
const startsOf = (plan: Plan): string[] =>
  plan.placements
    .flatMap(({ name, bindings }) =>
      bindings.flatMap(({ clusterName, move }) =>
        move === 'add' || move === 'update' ? [`${name} ${move} ${clusterName}`] : [],
      ),
    )
    .sort();

/** A fleet in which everything takes as long as in the forecast, and what it starts, instant by instant. */
async function executed(paper: PaperFleet): Promise<string[][]> {
  const groups: string[][] = [];
  const due = new Map<string, number>();
  const asked = new Map<string, { at: number; file: ApprovalRequest }>();
  const end = paper.now + assumptions.untilMs;
  for (let step = 0; step < 400; step++) {
    const plan = await paper.plan();
    const started = startsOf(plan);
    if (started.length > 0) groups.push(started);
    for (const start of started) due.set(start.replace(/ (add|update) /, ' '), paper.now + assumptions.readyAfterMs);
    for (const { planned, answer, file } of plan.approvals)
      if (answer === undefined && !asked.has(planned.name))
        asked.set(planned.name, { at: paper.now + assumptions.approveAfterMs, file: file!.object as ApprovalRequest });
    const instants = [...due.values(), ...[...asked.values()].map(({ at }) => at), Date.parse(plan.wakeAt ?? '')];
    const next = Math.min(...instants.filter((at) => at > paper.now));
    if (!Number.isFinite(next) || next > end) return groups;
    paper.pass((next - paper.now) / 1000);
    for (const [start, at] of due) {
      const [name, cluster] = start.split(' ');
      if (at <= paper.now) paper.deliver(cluster, name);
    }
    for (const [name, { at, file }] of asked)
      if (at <= paper.now) paper.files[`approvals/${name}.yaml`] = JSON.stringify(file);
  }
  throw new Error('it does not end');
}

describe('a forecast', () => {
  it('starts the same clusters in the same order as the fleet then does', async () => {
    await fc.assert(
      fc.asyncProperty(given, async (drawnFleet) => {
        const paper = new PaperFleet(filesOf(drawnFleet));
        await executed(paper);
        paper.pass(100);
        Object.assign(paper.files, {
          'resources/web.yaml': deployment('web', 'web', 'web:2'),
          'resources/shop.yaml': deployment('shop', 'shop', 'shop:2'),
          'run-2.yaml': runFile('r2', 'Run', undefined),
        });
        if (drawnFleet.gone < drawnFleet.clusters.length - 1) delete paper.files[`clusters/c-${drawnFleet.gone}.yaml`];
        const found = forecast(await paper.input(), assumptions);
        const spans = found.rollouts.flatMap(({ placement: { name }, stages }) =>
          stages.flatMap(({ clusters }) =>
            clusters
              .filter(({ action }) => action !== 'remove')
              .map(({ clusterName, from }) => ({ from, text: `${name} update ${clusterName}` })),
          ),
        );
        const groups = [...Map.groupBy(spans, ({ from }) => Date.parse(from))]
          .sort(([a], [b]) => a - b)
          .map(([, group]) => group.map(({ text }) => text).sort());
        expect(groups).toEqual(await executed(paper));
        expect(found.end).toBe('settled');
        expect(found.rollouts.every(({ to }) => to !== undefined)).toBe(true);
      }),
      drawn(12, 20261122),
    );
  });
});
