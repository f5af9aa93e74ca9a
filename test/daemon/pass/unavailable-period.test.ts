import { afterEach, expect, it } from 'vitest';
import { parseInstant } from '../../../src/engine/kernel/instant.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { settles } from '../../support/small-fleet.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const widgets = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.io}
spec:
  group: acme.io
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
---
apiVersion: acme.io/v1
kind: Widget
metadata: {name: one, namespace: web}
`;
const web = (version: number) => ({ 'resources/web.yaml': deployment('web', 'web', `web:${version}`) + widgets });

it('the pass after the end of an unavailable period moves clusters that waited for it', async () => {
  const crd = '[{group: apiextensions.k8s.io, version: v1, kind: CustomResourceDefinition, name: widgets.acme.io}, {';
  const rolling = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, unavailablePeriodSeconds: 30}}';
  fleet = await VirtualFleet.open(
    {
      'clusters/a.yaml': member('a'),
      'clusters/b.yaml': member('b'),
      'web.yaml': placement('web', '{placementType: PickAll}', rolling).replace('[{', crd),
      ...web(1),
    },
    'a',
    'b',
  );
  const one = fleet.start();
  await settles(fleet, one);
  await fleet.run(60);
  fleet.commit(web(2));
  const waits = () => one.plan().holds.find(({ reason }) => reason === 'UnavailablePeriod');
  await fleet.until('b waits for a', () => waits() !== undefined);
  const { until } = waits()!;
  expect(one.plan().wakeAt).toBe(until);
  const later = () =>
    one.passes.flatMap((pass) =>
      pass.kind !== 'moved' && parseInstant(pass.plan.now)! >= parseInstant(until!)! ? [pass.plan] : [],
    );
  await fleet.until('it is looked again', () => later().length > 0);
  expect(later()[0]!.placements[0]!.bindings[1]!.move).toBe('update');
  expect(parseInstant(later()[0]!.now)! - parseInstant(until!)!).toBeLessThan(1000);
});
