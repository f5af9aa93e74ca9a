import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PlanInput } from '../../src/engine/input.ts';
import { formatInstant, parseInstant } from '../../src/engine/kernel/instant.ts';
import { planFleet } from '../../src/engine/plan.ts';
import { drawn } from '../support/law-runs.ts';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';
import { happened } from './happenings.ts';

const names = ['a', 'b', 'c', 'd'];
const all = '{placementType: PickAll}';
const rolling = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0, unavailablePeriodSeconds: 40}}';
const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.io}
spec: {group: acme.io, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true}]}
---
apiVersion: acme.io/v1
kind: Widget
metadata: {name: one, namespace: roll}
---
apiVersion: acme.io/v1
kind: Widget
metadata: {name: one, namespace: stage}
`;
const strategy = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: soaking}
spec:
  stages:
  - name: one
    labelSelector: {matchLabels: {stage: one}}
    afterStageTasks: [{type: TimedWait, waitTime: 90s}]
  - name: two
    labelSelector: {matchLabels: {stage: two}}
    maxConcurrency: 2
`;
const run = (name: string) => `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: ${name}}
spec: {placementName: stage, stagedRolloutStrategyName: soaking, state: Run}
`;
const often = `apiVersion: gitfleet.dev/v1alpha1
kind: FleetConfig
spec: {freeze: [{name: often, schedule: "*/7 * * * *", duration: 2m}]}
`;

const fleet = () =>
  new PaperFleet({
    ...Object.fromEntries(
      names.map((name, at) => [`clusters/${name}.yaml`, member(name, { stage: at < 2 ? 'one' : 'two' })]),
    ),
    'roll.yaml': placement('roll', all, rolling),
    'stage.yaml': placement('stage', all, '{type: External}'),
    'strategy.yaml': strategy,
    'run-0.yaml': run('run-0'),
    'resources/widgets.yaml': widgets,
    'resources/roll.yaml': deployment('roll', 'roll', 'web:0'),
    'resources/stage.yaml': deployment('stage', 'stage', 'web:0'),
  });

const event = fc.record({
  kind: fc.constantFrom(
    ...(['deliver', 'deliverAll', 'deliverAll', 'wake', 'wake', 'wake', 'pass', 'version', 'run'] as const),
    ...(['break', 'mend', 'down', 'up', 'freeze', 'thaw'] as const),
  ),
  at: fc.nat(3),
  amount: fc.integer({ min: 1, max: 400 }),
});

/** What a plan says, without the instant that it was made at. */
function reported(input: PlanInput, ms: number): string {
  const { now: _, record, ...plan } = planFleet({ ...input, now: formatInstant(ms) }).plan;
  return JSON.stringify([plan, [...record]]);
}
const sincePlan = (text: string): boolean => /"(assignedAt|deletionTimestamp)"/.test(text);

it('wakeAt is when time alone changes a plan: not before, and then it does', async () => {
  const ended = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 6, maxLength: 18 }), async (events) => {
      const paper = fleet();
      let version = 0;
      let { wakeAt } = await paper.plan();
      for (const { kind, at, amount } of events) {
        const cluster = names[at]!;
        if (kind === 'version') {
          version++;
          for (const name of ['roll', 'stage'])
            paper.files[`resources/${name}.yaml`] = deployment(name, name, `web:${version}`);
        }
        if (kind === 'run') paper.files[`run-${amount % 3}.yaml`] = run(`run-${amount % 3}`);
        if (kind === 'freeze') paper.files['fleet.yaml'] = often;
        else happened(paper, kind, { cluster, app: amount % 2 === 0 ? 'roll' : 'stage', amount });
        if (kind === 'wake' && wakeAt !== undefined) paper.now = parseInstant(wakeAt)!;
        paper.refresh();
        paper.pass(1);
        wakeAt = (await paper.plan()).wakeAt;
        const input = await paper.input();
        const now = reported(input, paper.now);
        // What the members showed is older than the plan: the next look counts, at whatever later instant.
        if (sincePlan(now)) continue;
        const until = wakeAt === undefined ? paper.now + 86_400_000 : parseInstant(wakeAt)!;
        expect(reported(input, until - 1)).toBe(now);
        if (wakeAt === undefined) continue;
        // The unavailable period of a rollout is over a millisecond after its end, as in KubeFleet.
        expect(reported(input, until + 1)).not.toBe(now);
        const what =
          JSON.parse(now)[0].holds.find(({ until: end }: { until?: string }) => end === wakeAt)?.reason ?? 'other';
        ended.set(what, (ended.get(what) ?? 0) + 1);
      }
    }),
    drawn(40, 20261120),
  );
  expect([...ended.keys()].sort()).toEqual(['Freeze', 'UnavailablePeriod', 'WaitingForTime', 'other']);
});
