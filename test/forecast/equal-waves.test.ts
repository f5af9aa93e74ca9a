import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatInstant } from '../../src/engine/kernel/instant.ts';
import { forecastOf } from '../../src/forecast/forecast.ts';
import { forecastSteps } from '../../src/forecast/steps.ts';
import { totalEffect } from '../../src/forecast/total-effect.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { drawn } from '../support/law-runs.ts';
import { deployment, member, PaperFleet, placement, treeOf } from '../support/paper-fleet.ts';

const assumptions = {
  readyAfterMs: 90_000,
  upgradedAfterMs: 1_800_000,
  approveAfterMs: 600_000,
  untilMs: 86_400_000,
};
const begin = Date.parse('2026-11-20T10:00:00Z');
const nameOf = (at: number): string => `c-${String(at).padStart(2, '0')}`;
type Files = Record<string, string>;

interface App {
  readonly name: string;
  readonly pace: number | string;
}

const filesOf = (clusters: number, apps: readonly App[], config = ''): Files => ({
  'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {${config}}\n`,
  ...Object.fromEntries(
    Array.from({ length: clusters }, (_, at) => [
      `clusters/${at}.yaml`,
      member(nameOf(at), { env: at % 3 === 0 ? 'dev' : 'prod' }),
    ]),
  ),
  ...Object.assign({}, ...apps.map((app) => appFiles(app, '1'))),
});

const appFiles = ({ name, pace }: App, version: string): Files => ({
  [`${name}.yaml`]: placement(
    name,
    '{placementType: PickAll}',
    `{type: RollingUpdate, rollingUpdate: {maxUnavailable: ${pace}}}`,
  ),
  [`resources/${name}.yaml`]: deployment(name, name, `${name}:${version}`),
  [`resources/${name}-extra.yaml`]:
    version === '1' ? `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra, namespace: ${name}}\n` : '',
});

/** The same app, updated by a run over two stages. */
interface Staged {
  readonly pace: readonly [number | string, number | string];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly tasks?: string;
}
const runFiles = ({ name }: App, { pace, annotations = {}, tasks = '' }: Staged): Files => ({
  [`${name}.yaml`]: placement(name, '{placementType: PickAll}', '{type: External}'),
  [`runs/${name}.yaml`]: `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: ${name}}
spec:
  stages:
  - {name: dev, labelSelector: {matchLabels: {env: dev}}, maxConcurrency: ${pace[0]}, afterStageTasks: [${tasks}]}
  - {name: prod, labelSelector: {matchLabels: {env: prod}}, maxConcurrency: ${pace[1]}}
---
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: ${name}, annotations: ${JSON.stringify(annotations)}}
spec: {placementName: ${name}, stagedRolloutStrategyName: ${name}}
`,
});

/** It allows everything. With it each wave is planned by itself. */
const budget = ({ name }: App): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementDisruptionBudget\nmetadata: {name: ${name}, annotations: {gitfleet.dev/budget-scope: all}}\nspec: {minAvailable: 0}\n`;
const stepwise = (apps: readonly App[]): Files =>
  Object.fromEntries(apps.map((app) => [`budgets/${app.name}.yaml`, budget(app)]));

/** A fleet that runs version 1. */
async function settled(files: Files): Promise<PaperFleet> {
  const paper = new PaperFleet(files);
  await paper.settle();
  return paper;
}

const input = async (paper: PaperFleet, change: Files) => ({
  ...(await paper.input()),
  fleet: await loadFleet(treeOf({ ...paper.files, ...change })),
});

describe('equal waves of a rolling update', () => {
  const web = { name: 'web', pace: 1 };
  const change = { 'resources/web.yaml': deployment('web', 'web', 'web:2') };

  it('are one plan, in which each has its own time', async () => {
    const paper = await settled(filesOf(20, [web]));
    const from = await input(paper, change);
    const run = forecastSteps(from, assumptions);
    expect(run.steps.length).toBeLessThan(6);
    const { rollouts, doneAt } = forecastOf(run, from, assumptions);
    const now = Date.parse(from.now);
    const startOf = (at: number): string => formatInstant(now + at * 90_000);
    expect(rollouts[0]!.stages[0]!.clusters).toEqual(
      Array.from({ length: 20 }, (_, at) => ({
        clusterName: nameOf(at),
        action: 'update',
        from: startOf(at),
        to: startOf(at + 1),
      })),
    );
    expect(doneAt).toBe(startOf(20));
  });
  it('end before a cluster that does not respond, which then holds the others', async () => {
    const paper = await settled(filesOf(20, [web]));
    paper.down.add(nameOf(12));
    const from = await input(paper, change);
    const run = forecastSteps(from, assumptions);
    expect(run.steps.length).toBeLessThan(6);
    const { clusters } = forecastOf(run, from, assumptions).rollouts[0]!.stages[0]!;
    expect(clusters.map(({ clusterName, to }) => [clusterName, to !== undefined])).toEqual(
      Array.from({ length: 13 }, (_, at) => [nameOf(at), at !== 12]),
    );
  });
  it('are as many as the guard allows at once', async () => {
    const paper = await settled(filesOf(20, [web], 'guard: {maxClusters: 5}'));
    const from = await input(paper, { ...change, 'resources/web-extra.yaml': '' });
    const run = forecastSteps(from, assumptions);
    expect(run.steps.flatMap(({ result }) => result.plan.guard)).toEqual([]);
    expect(run.steps.length).toBeLessThan(12);
    expect(forecastOf(run, from, assumptions).doneAt).toBe(formatInstant(Date.parse(from.now) + 20 * 90_000));
  });
  it('of a stage are one plan, in which each has its own time', async () => {
    const paper = await settled(filesOf(21, [web]));
    const annotations = { 'gitfleet.dev/progress-deadline': '2m' };
    const from = await input(paper, { ...change, ...runFiles(web, { pace: [2, 3], annotations }) });
    const run = forecastSteps(from, assumptions);
    expect(run.steps.length).toBeLessThan(9);
    const { stages, state } = forecastOf(run, from, assumptions).rollouts[0]!;
    const now = Date.parse(from.now);
    const startOf = (wave: number): string => formatInstant(now + wave * 90_000);
    const spans = (indexes: readonly number[], size: number, first: number) =>
      indexes.map((at, index) => {
        const wave = first + Math.floor(index / size);
        return { clusterName: nameOf(at), action: 'update', from: startOf(wave), to: startOf(wave + 1) };
      });
    const all = Array.from({ length: 21 }, (_, at) => at);
    const [dev, prod] = [all.filter((at) => at % 3 === 0), all.filter((at) => at % 3 !== 0)];
    expect(stages.map(({ clusters }) => clusters)).toEqual([spans(dev, 2, 0), spans(prod, 3, 4)]);
    expect(state).toMatchObject({ type: 'Succeeded', status: 'True' });
  });
  it('of a stage are none where its deadline comes before clusters are ready', async () => {
    const paper = await settled(filesOf(21, [web]));
    const annotations = { 'gitfleet.dev/progress-deadline': '1m', 'gitfleet.dev/max-failures': '1' };
    const from = await input(paper, { ...change, ...runFiles(web, { pace: [1, 1], annotations }) });
    const { state, to } = forecastOf(forecastSteps(from, assumptions), from, assumptions).rollouts[0]!;
    expect(state?.message).toBe('2 clusters have failed, and max-failures allows 1: c-00, c-03');
    expect(to).toBe(formatInstant(Date.parse(from.now) + 120_000));
  });
  it('have the effect and the times of one plan each', async () => {
    const pace = fc.constantFrom(1, 2, 3, '10%', '30%');
    const staged = fc.record({
      pace: fc.tuple(pace, pace),
      annotations: fc.record(
        {
          'gitfleet.dev/progress-deadline': fc.constantFrom('60s', '90s', '4m', '20m'),
          'gitfleet.dev/max-failures': fc.constantFrom('1', '20%'),
          'gitfleet.dev/on-failure': fc.constantFrom('stop', 'rollback'),
        },
        { requiredKeys: [] },
      ),
      tasks: fc.constantFrom('', '{type: TimedWait, waitTime: 7m}', '{type: Approval}'),
    });
    const app = (name: string) =>
      fc.record({ name: fc.constant(name), pace, changes: fc.boolean(), staged: fc.option(staged) });
    const given = fc.record({
      clusters: fc.integer({ min: 4, max: 14 }),
      apps: fc.tuple(app('web'), app('shop')),
      down: fc.uniqueArray(fc.nat(13), { maxLength: 2 }),
      broken: fc.option(fc.nat(13)),
      freeze: fc.option(
        fc.record({ after: fc.integer({ min: 1, max: 20 }), minutes: fc.integer({ min: 1, max: 30 }) }),
      ),
      guard: fc.constantFrom('', 'guard: {maxClusters: 2}', 'guard: {maxClusters: 4}'),
      readyAfterMs: fc.constantFrom(90_000, 400_000),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ clusters, apps, down, broken, freeze, guard, readyAfterMs }) => {
        const at = new Date(begin + 120_000 + (freeze?.after ?? 0) * 60_000);
        const window = `freeze: [{name: f, schedule: "${at.getUTCMinutes()} ${at.getUTCHours()} * * *", duration: ${freeze?.minutes ?? 0}m}]`;
        const paper = new PaperFleet(filesOf(clusters, apps, [guard, freeze ? window : ''].filter(Boolean).join(', ')));
        if (broken !== null) paper.broken.add(`${nameOf(broken)}/Deployment/web`);
        await paper.settle();
        for (const one of down) paper.down.add(nameOf(one));
        const change = Object.assign(
          {},
          ...apps.map((one) => ({
            ...(one.changes && appFiles(one, '2')),
            ...(one.staged && runFiles(one, one.staged)),
          })),
        );
        const base = await paper.input();
        const of = async (more: Files) => {
          const [was, is] = [
            { ...paper.files, ...more },
            { ...paper.files, ...more, ...change },
          ];
          const next = { fleet: await loadFleet(treeOf(is)), commit: 'd'.repeat(40) };
          const before = { ...base, fleet: await loadFleet(treeOf(was)) };
          const { placements, changes, released, forecast } = totalEffect(before, next, {
            ...assumptions,
            readyAfterMs,
          });
          return { placements, changes, released, forecast };
        };
        expect(await of({})).toEqual(await of(stepwise(apps)));
      }),
      drawn(12, 20261124),
    );
  });
});
