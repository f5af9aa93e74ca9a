import { describe, expect, it } from 'vitest';
import type { ClusterObservation, PlacementObservation } from '../../../../src/api/observation.ts';
import type { Rendered } from '../../../../src/engine/overrides/render.ts';
import { at } from '../../rollout/world.ts';
import { entry, look, observe, ref, rendered, type Scene, web, words } from './scene.ts';

describe('conditions that were recorded after the last thing that was heard of the cluster', () => {
  const available = (since: number, status: 'True' | 'False' = 'True') =>
    ({ type: 'Available', status, reason: 'AllWorkAreAvailable', lastTransitionTime: at(since) }) as const;
  const heard = (when: number | undefined, more: Partial<PlacementObservation> = {}): ClusterObservation => {
    const heardAt = when === undefined ? {} : { heardAt: at(when) };
    return look({ placements: [entry({ ...heardAt, ...more })], objects: [web(0)] });
  };
  const scene = (recorded: ReturnType<typeof available>, seen: ClusterObservation): Scene => ({
    binding: { conditions: [recorded] },
    rendered: rendered(web(1)),
    seen,
  });
  it.each([
    ['not available yet', heard(-20)],
    ['still being applied', heard(-20, { done: false })],
    ['could not be applied', heard(-20, { results: [{ object: ref(web(1)), result: 'ManifestApplyFailed' }] })],
  ])('stay where the report %s', (_, seen) => {
    expect(observe(scene(available(-10), seen)).conditions).toEqual([available(-10)]);
  });
  it.each([
    ['was heard when they were recorded, or later', scene(available(-20), heard(-20))],
    ['is of an unknown time', scene(available(-10), heard(undefined))],
    ['contradicts no record of being well', scene(available(-10, 'False'), heard(-20))],
  ])('do not stay where the report %s', (_, given) => {
    expect(words(observe(given)).at(-1)).toBe('Available=False/NotAllWorkAreAvailable');
  });
  it('do not stand where the manifests cannot be rendered, which needs no look', () => {
    const failing: Rendered = { ok: false, reason: 'OverriddenFailed', message: 'o-0: no label', override: 'o-0' };
    expect(words(observe({ ...scene(available(-10), heard(-20)), rendered: failing }))).toEqual([
      'Overridden=False/OverriddenFailed',
    ]);
  });
  it('do not stand where they are of ReportDiff and objects are applied now', () => {
    const report = { type: 'DiffReported', status: 'True', reason: 'AllWorkHaveDiffReported' } as const;
    const conditions = [{ ...report, lastTransitionTime: at(-10) }];
    expect(words(observe({ ...scene(available(-10), heard(-20)), binding: { conditions } })).at(-1)).toBe(
      'Available=False/NotAllWorkAreAvailable',
    );
  });
});
