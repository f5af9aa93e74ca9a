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

describe.each(['running', 'stopped'])('while the daemon is %s', (how) => {
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
      await world.edit(exchange(isWithCommit));
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
    await world.edit(exchange(true));
    if (how === 'stopped') world.start();
    await world.approve();
    await world.fleet.run(240);
    expect(marks()).not.toContain('b');
  });
});
