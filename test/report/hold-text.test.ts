import { describe, expect, it } from 'vitest';
import type { Hold } from '../../src/engine/plan-document.ts';
import { holdLine, holdSubject, holdText } from '../../src/report/hold-text.ts';

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

describe('a hold in words', () => {
  const subject = { kind: 'ClusterResourcePlacement', name: 'web' };
  const until = '2026-11-20T10:00:00Z';
  it.each<[string, Parameters<typeof holdLine>[0], string, string]>([
    [
      'that several clusters share',
      { subject, reason: 'RolloutBudget', message: 'waits', clusters: ['a', 'b'], count: 5 },
      ' RolloutBudget: a, b and 3 more: waits',
      'RolloutBudget: waits',
    ],
    [
      'of one cluster does not name it twice',
      { subject: { ...subject, clusterName: 'eu-1' }, reason: 'Freeze', message: 'eu-1 waits', until },
      ` Freeze: waits (until ${until})`,
      `Freeze: waits (until ${until})`,
    ],
    [
      'of a budget, which perhaps allows less then',
      { subject, reason: 'NodeBudget', message: '1 more node than its budgets allow now', until },
      ` NodeBudget: 1 more node than its budgets allow now (they change at ${until})`,
      `NodeBudget: 1 more node than its budgets allow now (they change at ${until})`,
    ],
    [
      'names an instant once',
      { subject, reason: 'Freeze', message: `waits until ${until}`, until },
      ` Freeze: waits until ${until}`,
      `Freeze: waits until ${until}`,
    ],
  ])('%s', (_, hold, line, text) => {
    expect(holdLine(hold).slice(1)).toEqual([line]);
    expect(holdText(hold)).toBe(text);
  });
});
