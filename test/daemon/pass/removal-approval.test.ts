import { afterEach, expect, it } from 'vitest';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { settles } from '../../support/small-fleet.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const pick = (...names: string[]) => ({
  'web.yaml': placement('web', `{placementType: PickFixed, clusterNames: [${names.join(', ')}]}`),
});

const config = (path: string) =>
  `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {approvals: {path: ${path}}}\n`;

it.each([
  ['approvals/', {}],
  ['gates/removals/', { 'fleet.yaml': config('gates/removals') }],
])(
  'a namespace with foreign content stays on a cluster that is unpicked, until the branch that asks in %s is merged',
  async (folder, settings) => {
    const files = {
      ...settings,
      'clusters/a.yaml': member('a'),
      'clusters/b.yaml': member('b'),
      ...pick('a', 'b'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
    };
    fleet = await VirtualFleet.open(files, 'a', 'b');
    const one = fleet.start();
    await settles(fleet, one);
    await fleet.ask('b', 'POST', '/api/v1/namespaces/web/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'theirs' },
    });
    fleet.commit(pick('a'));
    const held = () => one.plan().holds.find(({ reason }) => reason === 'ContainsForeignObjects');
    await fleet.until('the removal is held', () => held() !== undefined);
    expect(held()).toMatchObject({
      subject: { kind: 'ClusterResourcePlacement', name: 'web', clusterName: 'b' },
      message: expect.stringContaining('ConfigMap web/theirs'),
    });

    const branch = `gitfleet/approve/removal-${held()?.removalDigest?.slice('sha256:'.length, 'sha256:'.length + 12)}`;
    await fleet.until('a branch asks', () => fleet.repo.tip(branch) !== undefined);
    await fleet.run(300);
    const namespace = async () => (await fleet.ask('b', 'GET', '/api/v1/namespaces/web')).status;
    expect(await namespace()).toBe(200);

    const asked = Object.entries(await fleet.repo.files(branch)).filter(([path]) => path.startsWith(folder));
    expect(asked).toHaveLength(1);
    fleet.commit(Object.fromEntries(asked.map(([path, text]) => [path, String(text)])));
    await fleet.until('the namespace is gone', async () => (await namespace()) === 404, 600);
    await settles(fleet, one);
    expect(one.plan().targets.map(({ clusterName }) => clusterName)).toEqual(['a']);
    await fleet.until('nobody is asked any more', () => fleet.repo.tip(branch) === undefined);
  },
);
