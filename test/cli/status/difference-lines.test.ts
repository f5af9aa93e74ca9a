import { expect, it } from 'vitest';
import type { PatchDetail } from '../../../src/api/placement.ts';
import { differenceLines } from '../../../src/cli/status/difference-lines.ts';
import { wholeObject } from '../../../src/engine/bindings/conditions/patch-details.ts';

it.each<[string, PatchDetail, string]>([
  [
    'a value that differs',
    { path: '/spec/replicas', valueInMember: '5', valueInHub: '2', manager: 'kubectl' },
    '/spec/replicas: 5 (by kubectl), should be 2',
  ],
  [
    'a value that was repaired',
    { path: '/spec/replicas', valueInMember: '5', valueInHub: '2', repaired: true },
    '/spec/replicas: was 5, repaired to 2',
  ],
  ['an object that is missing', wholeObject, 'is missing on the member'],
  ['an object that was put back', { ...wholeObject, repaired: true }, 'was missing on the member, restored'],
])('%s, as a line of text', (_, detail, expected) => {
  const drifted = { version: 'v1', kind: 'ConfigMap', name: 'a', observedDrifts: [detail] };
  expect(differenceLines({ drifted: drifted as never, diffed: undefined })).toEqual([expected]);
});
