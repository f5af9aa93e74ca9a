import { describe, expect, it } from 'vitest';
import { conditionLines, plan } from '../../../support/plan-command.ts';
import { all, both, carried, cro, overridden, patch, repo, ro } from './setting.ts';

describe('which overrides a placement uses', () => {
  const change = '{op: add, path: /data/x, value: x}';
  it.each([
    ['without a placement: every one', '', 'shop/o-0'],
    ['its own', '  placement: {name: web}\n', 'shop/o-0'],
    ['another placement’s: no', '  placement: {name: other}\n', ''],
    ['one of a ResourcePlacement of that name: no', '  placement: {name: web, scope: Namespaced}\n', ''],
  ])('%s', async (_, ref, expected) => {
    const planned = await plan({ repo: repo(ro('o', patch(all, change), ref)), observed: both });
    expect(carried(planned, 'eu')).toBe(expected);
    expect(overridden(planned, 'eu')).toEqual([
      `Overridden True ${expected ? 'OverriddenSucceeded' : 'NoOverrideSpecified'}`,
    ]);
  });

  it('only those that select something of it, cluster ones by name, then namespaced ones by namespace and name', async () => {
    const planned = await plan({
      repo: repo(
        ro('zz', patch(all, change)),
        ro(
          'b',
          patch(all, '{op: replace, path: /spec/replicas, value: 2}'),
          '',
          '{group: apps, version: v1, kind: Deployment, name: till}',
        ),
        ro('not', patch(all, change), '', '{group: "", version: v1, kind: ConfigMap, name: elsewhere}'),
        cro('c', patch(all, '{op: add, path: /metadata/annotations, value: {}}')),
      ),
      observed: both,
    });
    expect(carried(planned, 'us')).toBe('c-0 shop/b-0 shop/zz-0');
  });

  it('a ResourcePlacement takes those of its namespace that name it', async () => {
    const planned = await plan({
      repo: {
        ...repo(ro('o', patch(all, change), '  placement: {name: web, scope: Namespaced}\n')),
        'web.yaml': `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: prices}]
`,
      },
      observed: both,
    });
    expect(conditionLines(planned.placement().bindings[0]!.conditions)).toContain(
      'Overridden True OverriddenSucceeded',
    );
  });
});
