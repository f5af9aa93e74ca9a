import { expect, it } from 'vitest';
import { readRecord } from '../../../src/repo/record/read.ts';

const group = 'placement.kubernetes-fleet.io';
const run = `{apiVersion: ${group}/v1beta1, kind: ClusterStagedUpdateRun, metadata: {name: web-1}, spec: {placementName: web, stagedRolloutStrategyName: s}}`;
const state = '{apiVersion: gitfleet.dev/v1alpha1, kind: PlacementState, metadata: {name: web, namespace: shop}}';
const override = `
apiVersion: gitfleet.dev/v1alpha1
kind: ClusterResourceOverrideSnapshot
metadata: {name: mark-1}
index: 1
overrideSpec:
  clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]
  policy: {overrideRules: [{jsonPatchOverrides: [{op: remove, path: /metadata/labels}]}]}
`;

const read = (path: string, text: string) => readRecord(new Map([[path, text]]));

it('an object counts only in the file of its own name', () => {
  expect([...read('runs/web-1.yaml', run).record.runs.keys()]).toEqual(['web-1']);
  const { record, problems } = read('runs/web-2.yaml', run);
  expect([record.runs.size, record.unread?.runs]).toEqual([0, new Set(['web-2'])]);
  expect(problems).toMatchObject([{ severity: 'error', code: 'record-unreadable', path: 'metadata.name' }]);
});

it('the state of a placement counts only in the folder of its own name, with its namespace', () => {
  expect(read('placements/shop.web/state.yaml', state).record.placements.size).toBe(1);
  const { record } = read('placements/web/state.yaml', state);
  expect([record.placements.size, [...record.unread!.placements.keys()]]).toEqual([0, ['web']]);
});

it('a snapshot of an override counts only under its own name and index', () => {
  expect(read('overrides/mark/1.yaml', override).record.overrides.get('mark')).toHaveLength(1);
  expect(read('overrides/mark/1.yaml', override.replace('mark-1', 'mark')).record.overrides.get('mark')).toHaveLength(
    1,
  );
  expect(read('overrides/mark/2.yaml', override).record.overrides.size).toBe(0);
  expect(read('overrides/other/1.yaml', override).record.overrides.size).toBe(0);
});
