import { describe, expect, it } from 'vitest';
import { applyStrategy } from '../../../src/api/placement.ts';
import type { Binding, PlacementState } from '../../../src/api/placement-state.ts';
import { reasons } from '../../../src/engine/placement/reasons.ts';
import { recordedDecision } from '../../../src/engine/placement/selected.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { writtenIn } from '../../../src/repo/record/write.ts';
import { renderRecord } from '../../support/render-record.ts';

const path = 'placements/web/state.yaml';

/** A state with one binding, and the text and the reading of it. */
function written(given: Partial<Binding>) {
  const binding: Binding = { targetCluster: 'eu-1', state: 'Bound', ...given };
  const state: PlacementState = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'PlacementState',
    metadata: { name: 'web' },
    policySnapshots: [],
    resourceSnapshots: [],
    bindings: [binding],
  };
  const documents = new Map([[path, { kind: 'object', value: state } as const]]);
  const text = renderRecord(documents).get(path)!;
  const read = (with_?: typeof documents) =>
    readRecord(new Map([[path, text]]), with_)
      .record.placements.values()
      .next().value!.state.bindings[0]!;
  return { binding, text, state, lines: text.split('\n').filter((line) => line.includes('eu-1')), read };
}

const score = { affinityScore: 86, topologySpreadScore: -1 };
const scored = { clusterName: 'eu-1', selected: true, clusterScore: score, reason: reasons.picked('eu-1', 86, -1) };

describe('a binding of state.yaml', () => {
  it.each<[string, Partial<Binding>, string]>([
    [
      'a score gives the reason',
      { clusterDecision: scored },
      'clusterDecision: {selected: true, clusterScore: {affinityScore: 86, priorityScore: -1}}',
    ],
    [
      'another reason is written',
      { clusterDecision: { clusterName: 'eu-1', selected: true, reason: 'named' } },
      'clusterDecision: {selected: true, reason: named}',
    ],
    [
      'a reason of another score is written',
      { clusterDecision: { ...scored, reason: 'as on the hub' } },
      'clusterDecision: {selected: true, clusterScore: {affinityScore: 86, priorityScore: -1}, reason: as on the hub}',
    ],
    ['no reason is none', { clusterDecision: { selected: true, reason: '' } }, 'clusterDecision: {selected: true}'],
    ['a strategy of defaults is an empty one', { applyStrategy: applyStrategy.parse({}) }, 'applyStrategy: {}'],
    [
      'what is no default of a strategy is written',
      { applyStrategy: applyStrategy.parse({ type: 'ServerSideApply', serverSideApplyConfig: { force: false } }) },
      'applyStrategy: {type: ServerSideApply, serverSideApplyConfig: {force: false}}',
    ],
  ])('leaves out what reading gives back: %s', (_, given, short) => {
    const { lines, read, binding } = written(given);
    expect(lines).toEqual([`  - {targetCluster: eu-1, state: Bound, ${short}}`]);
    expect(read().applyStrategy).toEqual(binding.applyStrategy);
    if (binding.clusterDecision) expect(recordedDecision(read())).toEqual(recordedDecision(binding));
  });

  it.each(['priorityScore', 'topologySpreadScore'])(
    'the spread score is read as %s, KubeFleet’s name or ours',
    (name) => {
      const { text, read } = written({ clusterDecision: scored });
      const other = new Map([[path, text.replace('priorityScore', name)]]);
      const { record, problems } = readRecord(other);
      expect(problems).toEqual([]);
      expect(record.placements.values().next().value!.state.bindings[0]!.clusterDecision).toEqual(
        read().clusterDecision,
      );
    },
  );

  it('what is read back without parsing is what parsing gives, and is written as before', () => {
    const { text, state, read } = written({ clusterDecision: scored, applyStrategy: applyStrategy.parse({}) });
    const document = { kind: 'object', value: state } as const;
    expect(writtenIn(text, document)).toBeDefined();
    expect(read(new Map([[path, document]]))).toEqual(read());
    expect(written(read()).text).toBe(text);
  });

  it('a name that every object of JavaScript knows is one like any other', () => {
    const { state } = written({});
    const strange = { ...state, metadata: { name: 'web', constructor: { toString: { a: 1 } } } };
    const text = renderRecord(new Map([[path, { kind: 'object', value: strange }]])).get(path)!;
    expect(text).toContain('constructor:\n    toString:\n      a: 1\n');
  });
});
