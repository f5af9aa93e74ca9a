import { describe, expect, it } from 'vitest';
import type { Hold } from '../../src/engine/plan-document.ts';
import { holdSubject } from '../../src/report/hold-text.ts';

describe('what a hold is about', () => {
  it.each<[string, Hold['subject']]>([
    ['web', { kind: 'ClusterResourcePlacement', name: 'web' }],
    ['shop/web · eu-1', { kind: 'ResourcePlacement', name: 'web', namespace: 'shop', clusterName: 'eu-1' as never }],
    ['web-1 · canary', { kind: 'ClusterStagedUpdateRun', name: 'web-1', stage: 'canary' }],
    ['out · eu-1', { kind: 'ClusterResourcePlacementEviction', name: 'out', clusterName: 'eu-1' as never }],
    ['Deployment shop/web', { kind: 'Deployment', name: 'web', namespace: 'shop' }],
    ['ConfigMap shop/web', { kind: 'ConfigMap', name: 'web', namespace: 'shop' }],
    ['ClusterStagedUpdateStrategy careful', { kind: 'ClusterStagedUpdateStrategy', name: 'careful' }],
    ['ResourceOverride shop/web', { kind: 'ResourceOverride', name: 'web', namespace: 'shop' }],
  ])('%s', (text, subject) => {
    expect(holdSubject(subject)).toBe(text);
  });
});
