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
  ...Object.fromEntries(Array.from({ length: clusters }, (_, at) => [`clusters/${at}.yaml`, member(nameOf(at), {})])),
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
  it('have the effect and the times of one plan each', async () => {
    const app = (name: string) =>
      fc.record({ name: fc.constant(name), pace: fc.constantFrom(1, 2, 3, '10%', '30%'), changes: fc.boolean() });
    const given = fc.record({
      clusters: fc.integer({ min: 4, max: 14 }),
      apps: fc.tuple(app('web'), app('shop')),
      down: fc.uniqueArray(fc.nat(13), { maxLength: 2 }),
      broken: fc.option(fc.nat(13)),
      freeze: fc.option(
        fc.record({ after: fc.integer({ min: 1, max: 20 }), minutes: fc.integer({ min: 1, max: 30 }) }),
      ),
      guard: fc.constantFrom('', 'guard: {maxClusters: 2}', 'guard: {maxClusters: 4}'),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ clusters, apps, down, broken, freeze, guard }) => {
        const at = new Date(begin + 120_000 + (freeze?.after ?? 0) * 60_000);
        const window = `freeze: [{name: f, schedule: "${at.getUTCMinutes()} ${at.getUTCHours()} * * *", duration: ${freeze?.minutes ?? 0}m}]`;
        const paper = new PaperFleet(filesOf(clusters, apps, [guard, freeze ? window : ''].filter(Boolean).join(', ')));
        if (broken !== null) paper.broken.add(`${nameOf(broken)}/Deployment/web`);
        await paper.settle();
        for (const one of down) paper.down.add(nameOf(one));
        const change = Object.assign({}, ...apps.map((one) => (one.changes ? appFiles(one, '2') : {})));
        const base = await paper.input();
        const of = async (more: Files) => {
          const [was, is] = [
            { ...paper.files, ...more },
            { ...paper.files, ...more, ...change },
          ];
          const next = { fleet: await loadFleet(treeOf(is)), commit: 'd'.repeat(40) };
          const before = { ...base, fleet: await loadFleet(treeOf(was)) };
          const { placements, changes, released, forecast } = totalEffect(before, next, assumptions);
          return { placements, changes, released, forecast };
        };
        expect(await of({})).toEqual(await of(stepwise(apps)));
      }),
      drawn(12, 20261124),
    );
  });
});
