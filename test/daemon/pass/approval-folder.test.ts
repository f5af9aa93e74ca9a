import { afterEach, expect, it } from 'vitest';
import { gate, gatedFleet, names } from '../../security/attacked-fleet.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const config = 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {approvals: {path: gates}}\n';

it.each<[when: string, change: Record<string, string>]>([
  ['of fleet.yaml', {}],
  ['of the record, while fleet.yaml is broken', { 'fleet.yaml': 'spec: [\n' }],
])('an approval is requested in the folder that counts, %s', async (_when, change) => {
  fleet = await VirtualFleet.open({ 'fleet.yaml': config, ...gatedFleet('web:1') }, ...names);
  const one = fleet.start();
  await fleet.until('it is recorded', () => fleet.repo.tip('fleet-status') !== undefined);
  fleet.commit(change);
  await fleet.until('the gate asks', () => fleet.repo.tip(gate) !== undefined, 300);
  const file = 'gates/web-1-after-canary.yaml';
  const asked = await fleet.repo.files(gate);
  expect(Object.keys(asked).filter((path) => !(path in fleet.files))).toEqual([file]);

  fleet.commit({ 'fleet.yaml': config, [file]: String(asked[file]) });
  const isOnProd = () => fleet.stored('prod-1', 'apps/deployments', 'web', 'web') !== undefined;
  await fleet.until('the run continues', isOnProd, 300);
  expect(one.plan().problems.filter(({ severity }) => severity === 'error')).toEqual([]);
});
