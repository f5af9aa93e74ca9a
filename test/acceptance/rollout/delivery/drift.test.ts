import { describe, expect, it } from 'vitest';
import { all, at, bindingOn, deployment, holds, moves, namespace, placement, rolling, words } from '../world.ts';
import {
  applying,
  placementSynced,
  reached,
  result,
  settled,
  shows,
  statusOf,
  synced,
  theDeployment,
} from './settled.ts';

describe('drifted placements', () => {
  const drift = [{ path: '/spec/replicas', valueInMember: '5', valueInHub: '2' }];

  it('under IfNotDrifted stop the apply, report both values, and remember since when', async () => {
    const story = await settled(applying('{whenToApply: IfNotDrifted}'));
    story.seen = { ...story.seen, a: shows(result('FoundDrifts', { details: drift, observedGeneration: 4 })) };
    const step = await story.plan(10);
    expect(statusOf(step).driftedPlacements).toEqual([
      {
        group: 'apps',
        version: 'v1',
        kind: 'Deployment',
        namespace: 'web',
        name: 'web',
        observationTime: at(10),
        targetClusterObservedGeneration: 4,
        firstDriftedObservedTime: at(10),
        observedDrifts: drift,
      },
    ]);
    expect(statusOf(step).failedPlacements[0].condition.reason).toBe('FoundDrifts');
    const other = [{ path: '/spec/replicas', valueInMember: '6', valueInHub: '2' }];
    story.seen = { ...story.seen, a: shows(result('FoundDrifts', { details: other, observedGeneration: 5 })) };
    expect(statusOf(await story.plan(20)).driftedPlacements[0]).toMatchObject({
      observationTime: at(20),
      firstDriftedObservedTime: at(10),
      observedDrifts: other,
    });
    story.seen = { ...story.seen, a: holds(0) };
    expect(statusOf(await story.plan(30)).driftedPlacements).toBeUndefined();
  });

  it('are of the generation that the member shows, where the result names none', async () => {
    const story = await settled(applying('{whenToApply: IfNotDrifted}'));
    story.seen = { ...story.seen, a: shows(result('FoundDrifts', { details: drift })) };
    expect(statusOf(await story.plan(10)).driftedPlacements[0].targetClusterObservedGeneration).toBe(3);
  });

  it('of a full comparison leave the object applied', async () => {
    const story = await settled(applying('{comparisonOption: FullComparison}'));
    story.seen = { ...story.seen, a: shows(result('Applied', { details: drift })) };
    const step = await story.plan(10);
    expect(words(bindingOn(step, 'a').conditions).at(-1)).toBe('Available=True/AllWorkAreAvailable');
    expect(statusOf(step).driftedPlacements[0].observedDrifts).toEqual(drift);
    expect(statusOf(step).failedPlacements).toBeUndefined();
  });

  it('list at most 100 paths of an object', async () => {
    const story = await settled(applying('{comparisonOption: FullComparison}'));
    const many = Array.from({ length: 130 }, (_, n) => ({ path: `/spec/x${n}`, valueInMember: '1' }));
    story.seen = { ...story.seen, a: shows(result('Applied', { details: many })) };
    expect(statusOf(await story.plan(10)).driftedPlacements[0].observedDrifts).toHaveLength(100);
  });

  it('never show what a Secret holds', async () => {
    const secret =
      '---\napiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: web}\nstringData: {token: from-repo}\n';
    const story = await settled(applying('{whenToApply: IfNotDrifted}'), secret);
    const details = [
      { path: '/data/token', valueInMember: 'c3RvbGVu', valueInHub: 'ZnJvbS1yZXBv' },
      { path: '/stringData/token', valueInHub: 'from-repo' },
      { path: '/type', valueInMember: 'Opaque', valueInHub: 'other' },
      { path: '/', valueInHub: '(the whole object)' },
      { path: '/', valueInHub: 'from-repo' },
    ];
    const object = { apiVersion: 'v1', kind: 'Secret', namespace: 'web', name: 'key' };
    const live = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'key', namespace: 'web', labels: { 'gitfleet.dev/placement': 'web' } },
    };
    story.seen = {
      ...story.seen,
      a: shows(result('FoundDrifts', { details }, object), [namespace, deployment(2), live]),
    };
    const step = await story.plan(10);
    const hidden = '(redacted for security reasons)';
    expect(statusOf(step).driftedPlacements[0].observedDrifts).toEqual([
      { path: '/data/token', valueInMember: hidden, valueInHub: hidden },
      { path: '/stringData/token', valueInHub: hidden },
      { path: '/type', valueInMember: 'Opaque', valueInHub: 'other' },
      { path: '/', valueInHub: '(the whole object)' },
      { path: '/', valueInHub: hidden },
    ]);
    expect(JSON.stringify(step.plan)).not.toContain('c3RvbGVu');
  });

  it('beyond the size of a status are reported by path and number alone', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `m${String(n).padStart(2, '0')}`);
    const story = await settled(
      applying('{comparisonOption: FullComparison}'),
      names.map((name) => `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: web}\n`).join(''),
    );
    const details = Array.from({ length: 20 }, (_, n) => ({ path: `/data/k${n}`, valueInMember: 'x'.repeat(2000) }));
    story.seen = {
      ...story.seen,
      a: shows(
        {
          results: names.map((name) => ({
            object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'web', name },
            result: 'Applied',
            details,
          })),
        },
        [
          namespace,
          deployment(2),
          ...names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'web' } })),
        ],
      ),
    };
    const { driftedPlacements } = statusOf(await story.plan(10));
    expect(driftedPlacements).toHaveLength(40);
    expect(driftedPlacements[7].observedDrifts).toEqual([
      { path: '/data/k0 and 19 more path(s)', valueInMember: '(omitted)', valueInHub: '(omitted)' },
    ]);
  });
});

describe('ReportDiff', () => {
  const report = applying('{type: ReportDiff}');

  it('shows DiffReported instead of Applied and Available, and the differences', async () => {
    const story = await settled(report);
    const details = [{ path: '/', valueInHub: '(the whole object)' }];
    story.seen = {
      a: shows(
        {
          results: [
            { object: theDeployment, result: 'FoundDiff', details },
            { object: { apiVersion: 'v1', kind: 'Namespace', name: 'web' }, result: 'NoDiffFound' },
          ],
        },
        [],
      ),
      b: shows(result('FoundDiffInDegradedMode', { details }), []),
    };
    const step = await story.plan(10);
    expect(reached(step)).toEqual([
      ...synced,
      'DiffReported=True/AllWorkHaveDiffReported',
      ...placementSynced,
      'ClusterResourcePlacementDiffReported=True/DiffReportingCompleted',
    ]);
    expect(statusOf(step).diffedPlacements[0].observedDiffs).toEqual(details);
    expect(statusOf(step).failedPlacements).toBeUndefined();
  });

  it('records since when an object differs, and when it was observed', async () => {
    const story = await settled(report);
    const placementEntry = async (seconds: number, valueInMember: string) => {
      const details = [{ path: '/spec/replicas', valueInMember, valueInHub: '2' }];
      story.seen = { ...story.seen, a: shows(result('FoundDiff', { details })) };
      const [diffed] = statusOf(await story.plan(seconds)).diffedPlacements;
      return [diffed.firstDiffedObservedTime, diffed.observationTime];
    };
    expect(await placementEntry(10, '5')).toEqual([at(10), at(10)]);
    expect(await placementEntry(20, '5')).toEqual([at(10), at(10)]);
    expect(await placementEntry(30, '6')).toEqual([at(10), at(30)]);
  });

  it('is not complete while one object could not be compared; then no difference is shown', async () => {
    const story = await settled(report);
    const details = [{ path: '/spec/replicas', valueInMember: '1', valueInHub: '2' }];
    story.seen = {
      ...story.seen,
      a: shows({
        results: [
          { object: theDeployment, result: 'FoundDiff', details },
          { object: { apiVersion: 'v1', kind: 'Namespace', name: 'web' }, result: 'FailedToReportDiff' },
        ],
      }),
    };
    const step = await story.plan(10);
    expect(reached(step)).toEqual([
      ...synced,
      'DiffReported=False/NotAllWorkHaveDiffReported',
      ...placementSynced,
      'ClusterResourcePlacementDiffReported=False/DiffReportingIncompleteOrFailed',
    ]);
    expect(statusOf(step).diffedPlacements).toBeUndefined();
  });

  it('given up for applying forgets what was reported, and moves nothing', async () => {
    const story = await settled(report);
    await story.plan(10);
    story.files['web.yaml'] = placement(all, rolling(1, 1));
    const step = await story.plan(20);
    expect(moves(step)).toEqual(['a Bound 0 keep', 'b Bound 0 keep']);
    expect(words(bindingOn(step, 'a').conditions).at(-1)).toBe('Available=True/AllWorkAreAvailable');
  });

  it('changed to applying, it is in progress until the member reports the apply', async () => {
    const story = await settled(report);
    const diff = [{ path: '/spec/replicas', valueInMember: '3', valueInHub: '2' }];
    story.seen!['a'] = shows(result('FoundDiff', { details: diff }));
    await story.plan(10);
    story.files['web.yaml'] = placement(all, rolling(1, 1));
    for (const seconds of [20, 30]) {
      const step = await story.plan(seconds);
      expect(words(bindingOn(step, 'a').conditions).at(-1)).toBe('Applied=False/ApplyInProgress');
      expect([statusOf(step).failedPlacements, statusOf(step).diffedPlacements]).toEqual([undefined, undefined]);
    }
  });

  it('changed to ReportDiff, it is in progress until the member reports the comparison', async () => {
    const story = await settled();
    await story.plan(10);
    story.files['web.yaml'] = placement(all, report);
    const step = await story.plan(20);
    expect(words(bindingOn(step, 'a').conditions).at(-1)).toBe('DiffReported=False/DiffReportInProgress');
    const next = await story.plan(30);
    expect(words(bindingOn(next, 'a').conditions).at(-1)).toBe('DiffReported=True/AllWorkHaveDiffReported');
  });
});
