import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Binding, PlacementState } from '../../../src/api/placement-state.ts';
import { newObject } from '../../../src/git/objects/new-objects.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { bytesIn, isSameText, packed, unpacked, valuesIn } from '../../../src/repo/record/status-text.ts';
import { packRecord } from '../../../src/repo/record/write.ts';
import { separatorsIn } from '../../../src/repo/yaml/separators.ts';

const long = '- {name: ä, status: "True"}\n'.repeat(500);

it('a long text is kept compressed, with what is asked of it, and comes back as it was', () => {
  const kept = packed(long);
  if (typeof kept === 'string') throw new Error('it is not compressed');
  expect(unpacked(kept)).toBe(long);
  expect(kept.oid).toBe(newObject('blob', Buffer.from(long)).oid);
  expect([bytesIn(kept), valuesIn(kept)]).toEqual([Buffer.byteLength(long), separatorsIn(long)]);
  expect(isSameText(kept, packed(long))).toBe(true);
  expect(isSameText(kept, packed(`${long}- {}\n`))).toBe(false);
  // Compressed bytes in a slice of a larger buffer would keep all of it.
  expect(kept.deflated.buffer.byteLength).toBe(kept.deflated.length);
  expect(kept.deflated.length).toBeLessThanOrEqual(deflateSync(long, { level: 1 }).length);
});

it('a short text stays a text', () => {
  expect(packed('kind: Plan\n')).toBe('kind: Plan\n');
});

it('the record that is read has the parts of the document that it was written from', () => {
  const condition = {
    type: 'Applied',
    status: 'True',
    reason: 'Done',
    lastTransitionTime: '2026-11-20T10:00:00Z',
  } as const;
  const binding: Binding = { targetCluster: 'eu-1', state: 'Bound', conditions: [condition] };
  const value: PlacementState = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'PlacementState',
    metadata: { name: 'web' },
    policySnapshots: [],
    resourceSnapshots: [],
    bindings: [binding],
  };
  const documents = new Map([['placements/web/state.yaml', { kind: 'object', value } as const]]);
  const [read] = [...readRecord(packRecord(documents), documents).record.placements.values()];
  expect(read!.state.bindings[0]).toBe(binding);
});
