import { afterEach, describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { type Document, removeFolders } from '../../support/folders.ts';
import { deployment, moves, namespace, placement, placementEntry, rolling, Story } from '../rollout/world.ts';
import { otherPlacement, plan, shop, state } from './recorded-plan.ts';

afterEach(removeFolders);

describe('a record', () => {
  it('a file in it that is written again anyway is a warning, and a missing one, when it cannot be used', async () => {
    const { record } = (await plan(shop, {})).plan;
    const step = await plan(shop, { ...record, 'clusters/eu-1.yaml': 'kind: [' });
    expect(step.plan.problems.map(({ severity, code }: Document) => `${severity} ${code}`)).toEqual([
      'warning record-unreadable',
    ]);
    const kept = 'clusters/eu-1.yaml';
    expect([step.code, step.plan.record[kept]]).toEqual([0, record[kept]]);
  });

  const snapshotFile = 'placements/web/snapshots/0.yaml';
  it.each([
    ['a List', (text: string) => stringify({ apiVersion: 'v1', kind: 'List', items: parseAllDocuments(text) }), []],
    ['a text', () => 'web', ['warning record-unreadable 1:1']],
    [
      'an object without a name',
      (text: string) => `${text}---\napiVersion: v1\nkind: Namespace\n`,
      ['warning record-unreadable 25:1'],
    ],
    ['a List of nothing', () => 'kind: List\nitems: [null]\n', ['warning record-unreadable 1:1']],
    ['aliases that lead nowhere', () => 'kind: *nowhere\n', ['warning record-unreadable 1:7']],
    ['no YAML', () => 'kind: Namespace\nmetadata: {name: web\n', ['warning record-unreadable 3:1']],
  ])(
    'the file of a snapshot may be %s: it is read, or reported and counted as missing',
    async (_, written, reported) => {
      const { record } = (await plan(shop, {})).plan;
      const step = await plan(shop, { ...record, [snapshotFile]: written(record[snapshotFile]) });
      const placed = ({ severity, code, line, column }: Document) => `${severity} ${code} ${line}:${column}`;
      expect(step.plan.problems.map(placed)).toEqual(reported);
      expect([step.code, step.plan.placements[0].resourceSnapshotIndex, step.plan.record[snapshotFile]]).toEqual([
        0,
        0,
        record[snapshotFile],
      ]);
    },
  );

  it('a state that cannot be used is an error with its place and what to write; nothing is planned as if never placed', async () => {
    const written = state(`
bindings:
- targetCluster: eu-1
  state: bound
  resourceSnapshotIndex: "3"
  conditions: [{type: Available, status: "True", lastTransitionTime: yesterday}]
`);
    const step = await plan({ ...shop, 'other.yaml': otherPlacement }, written);
    const file = '(status branch) placements/web/state.yaml';
    const common = { severity: 'error', code: 'record-unreadable', file };
    expect(step.plan.problems).toEqual([
      {
        ...common,
        ...{ line: 7, column: 3, path: 'bindings.0.state', value: 'bound' },
        message: 'this file of the record cannot be used: state must be "Scheduled" or "Bound" or "Unscheduled"',
        fix: 'did you mean Bound?; let only gitfleet change the status branch',
      },
      {
        ...common,
        ...{ line: 8, column: 3, path: 'bindings.0.resourceSnapshotIndex', value: '3' },
        message: 'this file of the record cannot be used: resourceSnapshotIndex must be of type number',
        fix: 'write 3, without quotes; let only gitfleet change the status branch',
      },
      {
        ...common,
        ...{ line: 9, column: 50, path: 'bindings.0.conditions.0.lastTransitionTime', value: 'yesterday' },
        message: expect.stringContaining('lastTransitionTime'),
        fix: 'write for example 2026-11-20T10:00:00Z; let only gitfleet change the status branch',
      },
    ]);
    expect(step.code).toBe(2);
    expect(step.plan.placements.map(({ name }: Document) => name)).toEqual(['other']);
    expect(step.plan.targets.every(({ placement: { name } }: Document) => name === 'other')).toBe(true);
    expect(step.plan.holds).toEqual([
      expect.objectContaining({ subject: { kind: 'ClusterResourcePlacement', name: 'web' }, reason: 'RecordLost' }),
    ]);
    expect(step.plan.guard).toEqual([]);
    expect(step.plan.record['placements/web/state.yaml']).toBe(written['placements/web/state.yaml']);
  });

  it('a state that is no YAML is an error at its place', async () => {
    const step = await plan(shop, { 'placements/web/state.yaml': 'bindings:\n- {targetCluster: eu-1\n' });
    expect(step.plan.problems).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'record-unreadable',
        line: 3,
        fix: expect.stringContaining('close the { with }'),
      }),
    ]);
  });

  it('a state that cannot be used is rebuilt from the members; a cluster that shows nothing keeps its recorded status', async () => {
    const story = new Story({ ...shop, 'web.yaml': placement('{placementType: PickAll}', rolling(1, 0)) });
    const carried = { placements: [placementEntry(0)], objects: [namespace, deployment(2)] };
    story.seen = {};
    await story.plan();
    story.seen = { 'eu-1': carried, 'eu-2': carried, 'us-1': carried };
    await story.plan(100);
    story.record = { ...story.record, 'placements/web/state.yaml': 'bindings: [' };
    story.seen = { 'eu-1': carried, 'eu-2': carried, 'us-1': { reachable: false } };
    const step = await story.planOnce();
    expect(step.code).toBe(2);
    expect(step.plan.guard).toEqual([]);
    expect(moves(step)).toEqual(['eu-1 Bound 0 wait', 'eu-2 Bound 0 wait', 'us-1 Bound 0 wait']);
    expect(step.plan.targets.filter(({ remove }: Document) => remove)).toEqual([]);
  });

  it('a run or an eviction whose result cannot be read does not happen again', async () => {
    const evicted = {
      ...shop,
      'evict.yaml':
        'apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: once}\nspec: {placementName: web, clusterName: eu-1}\n',
    };
    const { record } = (await plan(shop, {})).plan;
    const step = await plan(evicted, { ...record, 'evictions/once.yaml': 'status: [' });
    expect(step.code).toBe(2);
    expect(step.plan.holds.map(({ reason, subject: { name } }: Document) => `${reason} ${name}`)).toEqual([
      'RecordLost once',
    ]);
    expect(step.plan.evictions).toEqual([expect.objectContaining({ name: 'once', status: { conditions: [] } })]);
  });
});
