import { describe, expect, it } from 'vitest';
import type { DriftedPlacement, PatchDetail } from '../../../src/api/placement.ts';
import { endsOfReportedRepairs } from '../../../src/engine/bindings/conditions/reported-repairs.ts';
import { at } from '../rollout/world.ts';
import { bindingOf, config, entry, look, observe, ref, type Scene } from './conditions/scene.ts';

const image = (more: Partial<PatchDetail> = {}): PatchDetail => ({
  path: '/data/image',
  valueInMember: 'somebody:1',
  valueInHub: 'app:5',
  ...more,
});
const color: PatchDetail = { path: '/data/color', valueInMember: 'red', valueInHub: 'blue', repaired: true };
const repaired = image({ repaired: true });

const recorded = (observedDrifts: PatchDetail[], seconds = 0): DriftedPlacement => ({
  version: 'v1',
  kind: 'ConfigMap',
  name: 'x',
  namespace: 'web',
  firstDriftedObservedTime: at(-90),
  observationTime: at(seconds),
  targetClusterObservedGeneration: 3,
  observedDrifts,
});

/** What is told of the object when a member says this of it, so many seconds later. */
function told(
  before: DriftedPlacement | undefined,
  details: PatchDetail[] | undefined,
  seconds: number,
  more: Scene = {},
  repairedAt?: number,
) {
  const since = repairedAt === undefined ? {} : { repairedAt: at(repairedAt) };
  const results = [{ object: ref(config('x')), result: 'Applied', ...(details ? { details } : {}), ...since }];
  return observe({
    binding: before ? { driftedPlacements: [before] } : {},
    seen: look({ objects: [config('x')], placements: [entry({ results })] }),
    now: at(seconds),
    ...more,
  }).driftedPlacements;
}

describe('a repair', () => {
  it('is reported for ten minutes, also by a daemon that did not do it', () => {
    expect(told(recorded([repaired]), undefined, 599)).toEqual([recorded([repaired])]);
    expect(told(recorded([repaired]), undefined, 600)).toBeUndefined();
  });

  it('is listed with those of another daemon, in the order of the record', () => {
    const both = told(recorded([repaired]), [color], 5)!;
    expect(both[0]?.observedDrifts).toEqual([repaired, color]);
    expect(told(both[0], [repaired], 6)).toEqual(both);
    expect(told(both[0], [color], 6)).toEqual(both);
  });

  it('is reported again where it was done again since', () => {
    expect(told(recorded([repaired]), [repaired], 599, {}, -1)?.[0]?.observationTime).toBe(at(0));
    expect(told(recorded([repaired]), [repaired], 599, {}, 598)?.[0]?.observationTime).toBe(at(599));
  });

  it.each<[string, DriftedPlacement | undefined, PatchDetail[], number, number?]>([
    ['it was repaired, before a plan observed it', undefined, [repaired], 27, 27],
    ['it was observed, where it is not repaired', undefined, [image()], 30],
    ['it was seen first, where the same differs again', recorded([repaired]), [image()], -90],
    ['it was first observed, where something else has not been repaired', recorded([image()]), [color], -90, 27],
    ['something else differed after it had been repaired', recorded([repaired]), [repaired, color], 27, 27],
    ['something else differs after it had been repaired', recorded([repaired]), [{ path: '/data/size' }], 30, 0],
  ])('is reported as drifted since %s', (_, before, details, since, repairedAt) => {
    expect(told(before, details, 30, {}, repairedAt)?.[0]?.firstDriftedObservedTime).toBe(at(since));
  });

  it.each<[string, PatchDetail[] | undefined, Scene]>([
    ['is different again', [image({ valueInMember: 'somebody:2' })], {}],
    ['is gone', [repaired], { seen: look({ objects: [], placements: [entry()] }) }],
  ])('makes room where the object %s', (_, details, scene) => {
    const [now] = told(recorded([repaired]), details, 5, scene)!;
    expect(now?.observedDrifts?.some((detail) => detail.repaired)).toBe(false);
  });

  it('is no more than was recorded: what differed and does not any more is forgotten at once', () => {
    expect(told(recorded([image()]), undefined, 5)).toBeUndefined();
  });

  it('wakes the daemon when it is no longer reported', () => {
    const steps = [[recorded([repaired])], [recorded([image()])], undefined].map((driftedPlacements) => ({
      move: 'keep' as const,
      binding: bindingOf(driftedPlacements ? { driftedPlacements } : {}),
    }));
    expect(endsOfReportedRepairs(steps, at(599))).toEqual([at(600)]);
    expect(endsOfReportedRepairs(steps, at(600))).toEqual([]);
  });
});
