import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MemberCluster, memberCluster } from '../../../src/api/member-cluster.ts';
import type { Placement, PlacementPolicy } from '../../../src/api/placement.ts';
import type { PlanInput } from '../../../src/engine/input.ts';
import { planFleet } from '../../../src/engine/plan.ts';
import type { Plan } from '../../../src/engine/plan-document.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { drawn } from '../../support/law-runs.ts';
import { renderRecord } from '../../support/render-record.ts';
import { inputOf } from '../guard/world.ts';
import { now, placementOf, policyOf } from './worlds.ts';

const oneOf: typeof fc.constantFrom = fc.constantFrom;

/** A member as its file has it, status included: what nobody observed is read from there. */
const member = (name: string): fc.Arbitrary<MemberCluster> =>
  fc
    .record({
      region: oneOf('r1', 'r2', undefined),
      zone: oneOf('z1', 'z2', 'z3', undefined),
      tier: oneOf('gold', undefined),
      taint: oneOf('x', 'y', undefined, undefined, undefined),
      cost: oneOf('1', '500m', '2', 'lots', undefined, undefined),
      size: oneOf('3', '1Ki', '7', undefined),
      cpu: oneOf('0', '1500m', '16', undefined),
      mood: oneOf('fine', 'fine', 'fine', 'fine', 'stale', 'offline', 'leaving'),
    })
    .map(({ region, zone, tier, taint, cost, size, cpu, mood }) =>
      memberCluster.parse({
        apiVersion: 'cluster.kubernetes-fleet.io/v1',
        kind: 'MemberCluster',
        metadata: {
          name,
          labels: { ...(region && { region }), ...(zone && { zone }), ...(tier && { tier }) },
          ...(mood === 'leaving' && { deletionTimestamp: now }),
        },
        spec: { ...(taint && { taints: [{ key: taint, effect: 'NoSchedule' }] }) },
        status: {
          properties: { ...(cost && { cost: { value: cost } }), ...(size && { size: { value: size } }) },
          ...(cpu && { resourceUsage: { available: { cpu } } }),
          ...(mood === 'offline' && { agentStatus: [] }),
          ...(mood === 'stale' && {
            agentStatus: [{ type: 'MemberAgent', lastReceivedHeartbeat: '2026-11-20T09:00:00Z' }],
          }),
        },
      }),
    );

const placementTypes = ['PickAll', 'PickN', 'PickFixed'] as const;
const named = (policy: PlacementPolicy, at: number): Placement =>
  ({ ...placementOf(policy), metadata: { name: `p-${at}` } }) as Placement;

/** Two versions of a fleet: some members come, go and change, every policy is edited but keeps its type. */
const fleets = fc
  .tuple(fc.array(oneOf(...placementTypes), { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 10 }))
  .chain(([types, size]) => {
    const version = fc.record({
      members: fc
        .tuple(...Array.from({ length: size }, (_, at) => member(`abcdefghij`[at]!)))
        .chain((all) => fc.subarray(all as MemberCluster[], { minLength: 1 })),
      policies: fc.tuple(...types.map(policyOf)) as fc.Arbitrary<PlacementPolicy[]>,
    });
    return fc.record({ first: version, second: version });
  });

interface Version {
  readonly members: readonly MemberCluster[];
  readonly policies: readonly PlacementPolicy[];
}

/** A plan, and the record it leaves as the files that the next plan reads. */
function step({ members, policies }: Version, before: ReadonlyMap<string, string>) {
  const { record, problems } = readRecord(before);
  expect(problems).toEqual([]);
  const input: PlanInput = { ...inputOf({ fleet: { members, placements: policies.map(named) } }), now, record };
  const { plan } = planFleet(input);
  // A drawn policy or list of members may remove much at once, which an approval would let pass; nothing else.
  expect(plan.guard.filter(({ removalDigest }) => removalDigest === undefined)).toEqual([]);
  return { plan, files: renderRecord(plan.record) };
}

const reported = ({ placements, targets, holds, wakeAt }: Plan) => ({
  placements: placements.map(({ bindings, ...rest }) => ({
    ...rest,
    bindings: bindings.map(({ move: _, ...binding }) => binding),
  })),
  targets,
  holds,
  wakeAt,
});

/** What a plan would do; a removal continues until an observation shows that it is done. */
const moves = ({ placements }: Plan): string[] =>
  placements.flatMap(({ bindings }) =>
    bindings.flatMap(({ clusterName, move }) =>
      move === 'add' || move === 'update' ? [`${move} ${clusterName}`] : [],
    ),
  );

describe('a plan made again from the record it left', () => {
  test('is equal, moves nothing and leaves the same record, also after an edit', () => {
    fc.assert(
      fc.property(fleets, ({ first, second }) => {
        let files: ReadonlyMap<string, string> = new Map();
        for (const version of [first, second]) {
          const once = step(version, files);
          const again = step(version, once.files);
          expect(reported(again.plan)).toEqual(reported(once.plan));
          expect(again.files).toEqual(once.files);
          expect(moves(again.plan)).toEqual([]);
          files = once.files;
        }
      }),
      drawn(150, 20261124),
    );
  });
});
