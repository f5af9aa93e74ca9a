import { expect, it } from 'vitest';
import { overrideOf, withoutIndex } from '../../../src/engine/overrides/snapshot-id.ts';

it.each([
  ['size-3', 'size', { kind: 'ClusterResourceOverride', name: 'size' }],
  ['size-3-10', 'size-3', { kind: 'ClusterResourceOverride', name: 'size-3' }],
  ['web/size-0', 'web/size', { kind: 'ResourceOverride', namespace: 'web', name: 'size' }],
  ['team-1/size-0', 'team-1/size', { kind: 'ResourceOverride', namespace: 'team-1', name: 'size' }],
])('%s is a snapshot of %s', (id, without, override) => {
  expect([withoutIndex(id), overrideOf(id)]).toEqual([without, override]);
});
