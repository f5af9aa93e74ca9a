import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { AttackedFleet, type Files, gatedFleet, names } from './attacked-fleet.ts';

let world: AttackedFleet;
afterEach(() => world.close());

/** An override that labels the namespace of `web`. */
const override = (mark: string): Files => ({
  'override.yaml': `
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourceOverride
metadata: {name: mark}
spec:
  clusterResourceSelectors: [{group: '', version: v1, kind: Namespace, name: web}]
  policy:
    overrideRules:
      - clusterSelector: {clusterSelectorTerms: []}
        jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {mark: ${mark}}}]
`,
});

const marks = (): string =>
  names.map((name) => world.fleet.stored(name, '/namespaces', '', 'web')?.metadata.labels?.['mark'] ?? '-').join();

/** Writes the newer version of the override under the index that clusters have. */
const exchange = (isWithCommit: boolean) => (files: Files) => {
  const [used, newer] = [0, 1].map((index) => parse(files[`overrides/mark/${index}.yaml`]!));
  used.overrideSpec = newer.overrideSpec;
  if (isWithCommit) Object.assign(used, { commit: newer.commit, overrideHash: newer.overrideHash });
  files['overrides/mark/0.yaml'] = stringify(used);
};

describe.each(['running', 'stopped', 'running, and the branch loses its history'])('while the daemon is %s', (how) => {
  const attack = (isWithCommit = true): Promise<void> => {
    const change = exchange(isWithCommit);
    return how.includes('history') ? world.replace(change) : world.edit(change);
  };

  it.each([false, true])(
    'an override that another version replaces waits for a run (commit: %s)',
    async (isWithCommit) => {
      world = await AttackedFleet.open({ ...gatedFleet('web:1'), ...override('a') });
      await world.untilGate();
      await world.approve();
      await world.fleet.until('it is everywhere', () => marks() === 'a,a,a', 600);
      await world.fleet.run(60);
      world.fleet.commit(override('b'));
      await world.fleet.run(120);
      expect(marks()).toBe('a,a,a');
      if (how === 'stopped') world.daemon.kill();
      await attack(isWithCommit);
      if (how === 'stopped') world.start();
      await world.fleet.run(120);
      expect(marks()).toBe('a,a,a');
      expect(world.problems()).not.toEqual([]);
    },
  );

  it('an approval of a run does not bring another version of its override', async () => {
    world = await AttackedFleet.open({ ...gatedFleet('web:1'), ...override('a') });
    await world.untilGate();
    world.fleet.commit(override('b'));
    await world.fleet.run(120);
    expect(marks()).toBe('a,-,-');
    if (how === 'stopped') world.daemon.kill();
    await attack();
    if (how === 'stopped') world.start();
    await world.approve();
    await world.fleet.run(240);
    expect(marks()).not.toContain('b');
  });
});

it('a daemon follows the indexes of another one that began the record anew', async () => {
  world = await AttackedFleet.open({ ...gatedFleet('web:1'), ...override('a') });
  await world.untilGate();
  world.fleet.commit(override('b'));
  await world.fleet.run(120);
  await world.replace((files) => {
    const { index: _, ...newest } = parse(files['overrides/mark/1.yaml']!);
    files['overrides/mark/0.yaml'] = stringify({ ...newest, metadata: { name: 'mark-0' }, index: 0 });
    for (const path of Object.keys(files))
      if (path === 'overrides/mark/1.yaml' || path.startsWith('runs/') || path.startsWith('approvals/'))
        delete files[path];
  });
  await world.fleet.run(120);
  const { 'overrides/mark/0.yaml': first, 'overrides/mark/1.yaml': second } =
    await world.fleet.repo.files('fleet-status');
  expect([parse(first!).overrideSpec.policy.overrideRules[0].jsonPatchOverrides[0].value, second]).toEqual([
    { mark: 'b' },
    undefined,
  ]);
});
