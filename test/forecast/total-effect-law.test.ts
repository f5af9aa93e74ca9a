import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/api/meta.ts';
import { keyOfManifest } from '../../src/engine/selection/object-key.ts';
import { drawn } from '../support/law-runs.ts';
import { deployment, PaperFleet, placement } from '../support/paper-fleet.ts';
import { cities, configMap, effectOf, type Files, web } from './effect-of.ts';

const drawnFleet = fc.record({
  version: fc.nat(1),
  extra: fc.constantFrom('keep', 'drop', 'change'),
  picked: fc.subarray(cities, { minLength: 1 }),
  gone: fc.constantFrom(undefined, ...cities),
  tools: fc.constantFrom('none', 'kept', 'added', 'dropped'),
  maxUnavailable: fc.constantFrom(1, '50%', '100%'),
  /** What is under way at the merge, and for how many plans. */
  underWay: fc.constantFrom('none', 'version', 'drop', 'change'),
  plans: fc.nat(3),
});

/** Merges what plans ask for until nothing more happens. */
async function settled(paper: PaperFleet, files: Files): Promise<ReturnType<typeof objectsOf>> {
  paper.files = { ...files };
  for (let step = 0; step < 16; step++) {
    const plan = await paper.planOn();
    for (const { removalDigest } of plan.guard)
      if (removalDigest !== undefined)
        paper.files[`approvals/${removalDigest.slice(7, 15)}.yaml`] =
          `apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: r-${removalDigest.slice(7, 15)}}\nspec: {removalDigest: "${removalDigest}"}\n`;
    if (plan.guard.length === 0) paper.deliver();
    paper.pass(61);
  }
  return objectsOf(paper);
}

describe('the law of the total effect', () => {
  it('is what a simulated fleet did once it settled, of what it does not do without the change', async () => {
    await fc.assert(
      fc.asyncProperty(drawnFleet, async ({ version, extra, picked, gone, tools, maxUnavailable, underWay, plans }) => {
        const guard = {
          'fleet.yaml':
            'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec:\n  guard: {maxClusters: 100%, maxObjectsPerCluster: 100%, maxLeaving: 100%}\n',
        };
        const strategy = `{type: RollingUpdate, rollingUpdate: {maxUnavailable: ${maxUnavailable}}}`;
        const tool: Files = {
          'tools.yaml': placement('tools', '{placementType: PickAll}', strategy),
          'resources/tools.yaml': deployment('tools', 'tools', 'tools:1'),
        };
        const picks = (names: readonly string[]) =>
          placement('web', `{placementType: PickFixed, clusterNames: [${names}]}`, strategy);
        const extras = (of: string): Files =>
          of === 'change' ? { 'resources/extra.yaml': configMap('extra', '2') } : {};
        const present: Files = {
          ...guard,
          ...web(underWay !== 'drop'),
          ...extras(underWay),
          ...(underWay === 'version' ? { 'resources/web.yaml': deployment('web', 'web', 'web:3') } : {}),
          ...(tools === 'kept' || tools === 'dropped' ? tool : {}),
          'web.yaml': picks(cities),
        };
        const after: Files = {
          ...guard,
          ...web(extra !== 'drop'),
          'web.yaml': picks(picked),
          'resources/web.yaml': deployment('web', 'web', `web:${version + 1}`),
          ...extras(extra),
          ...(tools === 'kept' || tools === 'added' ? tool : {}),
        };
        if (gone !== undefined) delete after[`clusters/${gone}.yaml`];
        const papers = [0, 1].map(() => new PaperFleet({ ...present, ...web(), 'web.yaml': picks(cities) }));
        for (const paper of papers) {
          await paper.settle(40);
          paper.files = { ...present };
          for (let step = 0; step < plans; step++) {
            await paper.planOn();
            paper.deliver();
            paper.pass(61);
          }
        }
        const [paper, other] = papers as [PaperFleet, PaperFleet];
        const held = objectsOf(paper);
        const effect = await effectOf(paper, after);
        if (effect.guard.some(({ removalDigest }) => removalDigest === undefined)) return;
        const [now, usual] = [await settled(paper, after), await settled(other, present)];
        const did = { remove: 0, change: 0, add: 0 };
        for (const cluster of cities) {
          const [was, is, would] = [held, now, usual].map((of) => of.get(cluster) ?? new Map<string, string>());
          for (const key of new Set([...was!.keys(), ...is!.keys()])) {
            if (is!.get(key) === would!.get(key) || was!.get(key) === is!.get(key)) continue;
            did[!is!.has(key) ? 'remove' : was!.has(key) ? 'change' : 'add'] += 1;
          }
        }
        const said = { remove: 0, release: 0, move: 0, change: 0, add: 0 };
        for (const { action, clusters } of effect.changes) said[action] += clusters.length;
        expect(said).toMatchObject(did);
      }),
      drawn(15, 20261122),
    );
  });
});

/** What members hold, without marks of gitfleet and status. */
const objectsOf = (paper: PaperFleet): Map<string, Map<string, string>> =>
  new Map(
    [...paper.members].map(([cluster, placements]) => [
      cluster,
      new Map([...placements.values()].flatMap(({ objects }) => objects.map((it) => [keyOfManifest(it), textOf(it)]))),
    ]),
  );

const textOf = ({ status: _, metadata: { name, namespace }, ...rest }: Manifest): string =>
  JSON.stringify({ ...rest, metadata: { name, namespace } });
