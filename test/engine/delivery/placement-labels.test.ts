import { describe, expect, it } from 'vitest';
import { applyStrategyOf } from '../../../src/engine/delivery/apply-strategy.ts';
import { placementLabels } from '../../../src/engine/delivery/placement-labels.ts';
import { inputOf, named } from '../guard/world.ts';
import { placementOf } from '../staged/world.ts';

describe('the label of an object belongs to somebody', () => {
  const works = [{ placement: named('web') }];
  const answers = (fleet: Parameters<typeof inputOf>[0]['fleet'] = {}) => {
    const isPlacement = placementLabels(works, inputOf({ fleet }));
    return ['web', 'broken', 'shop.web', 'gone'].filter(isPlacement);
  };
  const refused = (kind: string, name: string, namespace?: string) => ({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
  });

  it('when a placement of that name is planned', () => {
    expect(answers()).toEqual(['web']);
  });
  it('when the file of a placement of that name is refused', () => {
    expect(
      answers({
        refused: [
          refused('ClusterResourcePlacement', 'broken'),
          refused('ResourcePlacement', 'web', 'shop'),
          refused('MemberCluster', 'gone'),
        ],
      }),
    ).toEqual(['web', 'broken', 'shop.web']);
  });
  it('when a file could not be read, which may hold any placement', () => {
    expect(answers({ unreadable: ['broken.yaml'] })).toEqual(['web', 'broken', 'shop.web', 'gone']);
  });
});

describe('the apply strategy of a binding', () => {
  const given = { applyStrategy: { ...named('web').spec.strategy.applyStrategy, type: 'ReportDiff' as const } };

  it('is that of its placement at once in a rolling update', () => {
    expect(applyStrategyOf(named('web'), given).type).toBe('ClientSideApply');
  });
  it('is the one that its run gave it under External', () => {
    const external = placementOf({ type: 'External' });
    expect([applyStrategyOf(external, given).type, applyStrategyOf(external, undefined).type]).toEqual([
      'ReportDiff',
      'ClientSideApply',
    ]);
  });
});
