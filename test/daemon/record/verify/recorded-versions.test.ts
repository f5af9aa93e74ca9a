import { describe, expect, it } from 'vitest';
import { followedHistory } from '../../../../src/daemon/record/verify/followed-history.ts';
import { versionVerifier } from '../../../../src/daemon/record/verify/recorded-versions.ts';
import type { FleetRecord } from '../../../../src/engine/input.ts';
import { loadFleet } from '../../../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../../../src/repo/record/read.ts';
import { deployment, member, placement, treeOf } from '../../../support/paper-fleet.ts';

const whole = {
  'clusters/a.yaml': member('a'),
  'web.yaml': placement('web', '{placementType: PickAll}'),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
};
const broken = { ...whole, 'web.yaml': 'spec: [\n' };
const [first, second, third] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [string, string, string];

/** A branch whose last two commits have a broken file, with a log of history reads. */
async function branch({
  valid = whole,
  broken: later = broken,
}: Readonly<Partial<Record<'valid' | 'broken', object>>> = {}) {
  const files = new Map<string, Record<string, string>>([
    [first, { ...valid }],
    [second, { ...later }],
    [third, { ...later }],
  ]);
  const order = [...files.keys()];
  const asked: string[] = [];
  const historyUpTo = followedHistory(
    {
      has: async () => true,
      madeAt: async () => undefined,
      heightOf: async (commit, tip) =>
        order.indexOf(commit) <= order.indexOf(tip) ? order.indexOf(commit) : undefined,
      async parentOf(commit) {
        asked.push(commit);
        return order[order.indexOf(commit) - 1];
      },
      tree: async (commit) => treeOf(files.get(commit)!),
    },
    (tree) => loadFleet(tree),
  );
  const fleets = new Map<string, Awaited<ReturnType<typeof loadFleet>>>();
  for (const [commit, tree] of files) fleets.set(commit, await loadFleet(treeOf(tree)));
  const [web] = fleets.get(first)!.placements;
  const state = { observedGeneration: 1, resourceSnapshots: [], bindings: [] };
  const record = {
    ...readRecord(new Map()).record,
    exists: true,
    commit: second,
    placements: new Map([['web', { object: web, state, snapshots: new Map() }]]),
  } as unknown as FleetRecord;
  return { record, asked, at: (commit: string) => historyUpTo({ commit, fleet: fleets.get(commit)! }) };
}

describe('while a file is broken, the version of the record', () => {
  it('is searched in history once for each record and tip', async () => {
    const { record, asked, at } = await branch();
    const verifier = versionVerifier();
    expect(await verifier.verify(record, at(second))).toEqual({ record, problems: [] });
    expect(asked).toEqual([second]);
    for (let pass = 0; pass < 3; pass++) await verifier.verify(record, at(second));
    expect(asked).toEqual([second]);
  });

  it('is searched again when the branch moved or the record changed', async () => {
    const { record, asked, at } = await branch();
    const verifier = versionVerifier();
    await verifier.verify(record, at(second));
    await verifier.verify(record, at(third));
    expect(asked.length).toBeGreaterThan(1);
    const { length } = asked;
    const { object, ...rest } = record.placements.get('web' as never)!;
    const spec = { ...object!.spec, revisionHistoryLimit: 3 };
    const edited = { ...record, placements: new Map([['web', { ...rest, object: { ...object!, spec } }]]) };
    const healed = await verifier.verify(edited as unknown as FleetRecord, at(third));
    expect(asked.length).toBeGreaterThan(length);
    expect(healed.problems.map(({ file }) => file)).toEqual(['(status branch) placements/web/status.yaml']);
    expect(healed.record.placements.get('web' as never)!.object!.spec).toEqual(object!.spec);
  });
});

it('settings that are broken before anything is recorded are those of an earlier commit, and nobody is suspected', async () => {
  const config = (limit: string): string =>
    `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxClusters: ${limit}}}\n`;
  const [valid, invalid] = ['2', 'two'].map((limit) => ({ ...whole, 'fleet.yaml': config(limit) }));
  const { at } = await branch({ valid: valid!, broken: invalid! });
  const nothing = readRecord(new Map()).record;
  const { record, problems } = await versionVerifier().verify(nothing, at(second));
  expect(record.config?.spec.guard).toMatchObject({ maxClusters: 2 });
  expect(problems).toEqual([]);
  const removed = await versionVerifier().verify({ ...nothing, exists: true }, at(second));
  expect(removed.problems).toMatchObject([{ code: 'record-mismatch', file: '(status branch) fleet.yaml' }]);
});
