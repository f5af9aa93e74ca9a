import { afterEach, expect, it } from 'vitest';
import { deployment, member, placement } from '../support/paper-fleet.ts';
import { settles } from '../support/small-fleet.ts';
import { VirtualFleet } from '../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const clusters = ['a', 'b', 'c', 'd'];
const oneAtATime = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}';

it('a cluster that was left as it is until it is seen counts as changed when it gets the version of the record', async () => {
  fleet = await VirtualFleet.open(
    {
      ...Object.fromEntries(clusters.map((name) => [`clusters/${name}.yaml`, member(name)])),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
      'web.yaml': placement('web', '{placementType: PickAll}', oneAtATime),
    },
    ...clusters,
  );
  const one = fleet.start();
  await settles(fleet, one);
  const versions = (): string[] =>
    clusters.map(
      (name) => /web:\d/.exec(JSON.stringify(fleet.stored(name, 'apps/deployments', 'web', 'web')))?.[0] ?? '',
    );

  // The second daemon knows only from the record what runs on a, which no longer would be picked.
  fleet.fault('a', { type: 'Hang' });
  fleet.commit({ 'clusters/a.yaml': member('a', {}, 'taints: [{key: k, value: v, effect: NoSchedule}]') });
  const two = fleet.start();
  await fleet.run(90);
  fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2') });
  await fleet.run(40);
  expect(versions()).toEqual(['web:1', 'web:1', 'web:1', 'web:1']);
  one.kill();
  fleet.fault('a');
  await fleet.until('a is changed', () => versions().includes('web:2'));
  expect(versions()).toEqual(['web:2', 'web:1', 'web:1', 'web:1']);
  await settles(fleet, two);
  expect(versions()).toEqual(['web:2', 'web:2', 'web:2', 'web:2']);
});
