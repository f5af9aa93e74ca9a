import { describe, expect, it } from 'vitest';
import type { Document } from '../../../support/folders.ts';
import { notApplied } from '../../../support/not-applied.ts';
import {
  at,
  bindingOn,
  deployment,
  holds,
  moves,
  namespace,
  type Observed,
  rolling,
  type Step,
  words,
} from '../world.ts';
import { placementSynced, reached, result, settled, shows, statusOf, synced } from './settled.ts';

describe('reports of the actor become conditions of the binding and the placement', () => {
  it.each([
    ...notApplied.map((word): [string, Observed, string[]] => [
      `${word}: not applied`,
      shows(result(word)),
      [
        ...synced,
        'Applied=False/NotAllWorkHaveBeenApplied',
        ...placementSynced,
        'ClusterResourcePlacementApplied=False/ApplyFailed',
      ],
    ]),
    [
      'AppliedWithFailedDriftDetection: applied all the same',
      shows(result('AppliedWithFailedDriftDetection')),
      [
        ...synced,
        'Applied=True/AllWorkHaveBeenApplied',
        'Available=True/AllWorkAreAvailable',
        ...placementSynced,
        'ClusterResourcePlacementApplied=True/ApplySucceeded',
        'ClusterResourcePlacementAvailable=True/ResourceAvailable',
      ],
    ],
    [
      'still applying',
      shows({ done: false }),
      [
        ...synced,
        'Applied=False/ApplyInProgress',
        ...placementSynced,
        'ClusterResourcePlacementApplied=False/ApplyFailed',
      ],
    ],
    [
      'applied and not available',
      shows({}, [namespace, deployment(1)]),
      [
        ...synced,
        'Applied=True/AllWorkHaveBeenApplied',
        'Available=False/NotAllWorkAreAvailable',
        ...placementSynced,
        'ClusterResourcePlacementApplied=True/ApplySucceeded',
        'ClusterResourcePlacementAvailable=False/ResourceNotAvailableYet',
      ],
    ],
    [
      'no word of the snapshot: nothing is known of what comes after Overridden',
      { objects: [namespace, deployment(2)] },
      ['ClusterResourcePlacementWorkSynchronized=Unknown/WorkSynchronizedUnknown'],
    ],
    [
      'an object gone from a complete list: not available',
      shows({}, [namespace]),
      [
        ...synced,
        'Applied=True/AllWorkHaveBeenApplied',
        'Available=False/NotAllWorkAreAvailable',
        ...placementSynced,
        'ClusterResourcePlacementApplied=True/ApplySucceeded',
        'ClusterResourcePlacementAvailable=False/ResourceNotAvailableYet',
      ],
    ],
  ] satisfies [string, Observed, string[]][])('%s', async (_, observation, expected) => {
    const story = await settled();
    story.seen = { ...story.seen, a: observation };
    const step = await story.plan(10);
    expect(reached(step)).toEqual(expected);
    // Nothing that a member says moves a binding by itself.
    expect(moves(step)).toEqual(['a Bound 0 keep', 'b Bound 0 keep']);
  });

  it('what a broken list does not show is as it was known', async () => {
    const story = await settled();
    await story.plan(10);
    story.seen = { ...story.seen, a: { ...shows({}, [namespace]), complete: false } };
    expect(words(bindingOn(await story.plan(20), 'a').conditions).at(-1)).toBe('Available=True/AllWorkAreAvailable');
  });

  it('another digest is another version of the same snapshot: still applying', async () => {
    const story = await settled();
    story.seen = { ...story.seen, a: shows({ digest: 'sha256:of-something-else' }) };
    expect(words(bindingOn(await story.plan(10), 'a').conditions).at(-1)).toBe('Applied=False/ApplyInProgress');
  });

  it('lastTransitionTime is when the status changed, not when the reason did', async () => {
    const story = await settled();
    const time = (step: Step, type: string) =>
      bindingOn(step, 'a').conditions.find((it: Document) => it.type === type)?.lastTransitionTime;
    story.seen = { ...story.seen, a: shows({ done: false }) };
    expect(time(await story.plan(10), 'Applied')).toBe(at(10));
    story.seen = { ...story.seen, a: shows(result('ManifestApplyFailed')) };
    expect(time(await story.plan(20), 'Applied')).toBe(at(10));
    story.seen = { ...story.seen, a: holds(0) };
    expect(time(await story.plan(30), 'Applied')).toBe(at(30));
    expect(time(await story.plan(40), 'Applied')).toBe(at(30));
  });
});

describe('failed placements', () => {
  it('name the object, the word and the message, since when it failed', async () => {
    const story = await settled();
    const failing = shows(result('ManifestApplyFailed', { message: 'quota exceeded', observedGeneration: 3 }));
    story.seen = { ...story.seen, a: failing };
    const expected = [
      {
        group: 'apps',
        version: 'v1',
        kind: 'Deployment',
        namespace: 'web',
        name: 'web',
        condition: {
          type: 'Applied',
          status: 'False',
          reason: 'ManifestApplyFailed',
          message: 'quota exceeded',
          lastTransitionTime: at(10),
          observedGeneration: 3,
        },
      },
    ];
    expect(statusOf(await story.plan(10)).failedPlacements).toEqual(expected);
    expect(statusOf(await story.plan(20)).failedPlacements).toEqual(expected);
    story.seen = { ...story.seen, a: holds(0) };
    expect(statusOf(await story.plan(30)).failedPlacements).toBeUndefined();
  });

  it('never quote what a Secret holds, as it is written or in base64', async () => {
    const secret =
      '---\napiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: web}\nstringData: {token: from-repo}\ndata: {old: c3RvbGVu}\n';
    const story = await settled(rolling(1, 1), secret);
    const object = { apiVersion: 'v1', kind: 'Secret', namespace: 'web', name: 'key' };
    const message = 'Secret "key" is invalid: token: "from-repo", old: "c3RvbGVu" (stolen): too short';
    story.seen = { ...story.seen, a: shows(result('ManifestApplyFailed', { message }, object)) };
    const step = await story.plan(10);
    expect(statusOf(step).failedPlacements[0].condition.message).toBe(
      'Secret "key" is invalid: token: "(redacted)", old: "(redacted)" ((redacted)): too short',
    );
  });

  it('hold what is applied and not available when all is applied', async () => {
    const story = await settled();
    story.seen = { ...story.seen, a: holds(0, [namespace, deployment(0)]) };
    const [failed] = statusOf(await story.plan(10)).failedPlacements;
    expect(failed.condition).toMatchObject({ type: 'Available', status: 'False', reason: 'ManifestNotAvailableYet' });
  });

  it('call a Job that failed Failed', async () => {
    const job =
      '---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: once, namespace: web}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: x, image: x}]}}}\n';
    const story = await settled(rolling(1, 1), job);
    const live = (type: string) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'once', namespace: 'web', labels: { 'gitfleet.dev/placement': 'web' } },
      status: { conditions: [{ type, status: 'True', reason: 'BackoffLimitExceeded', message: 'gave up' }] },
    });
    story.seen = {
      a: holds(0, [namespace, deployment(2), live('Failed')]),
      b: holds(0, [namespace, deployment(2), live('Complete')]),
    };
    const step = await story.plan(10);
    expect(statusOf(step).failedPlacements[0]).toMatchObject({ kind: 'Job', condition: { reason: 'Failed' } });
    expect(statusOf(step, 'b').failedPlacements).toBeUndefined();
  });

  it('are at most 100 for each cluster', async () => {
    const names = Array.from({ length: 120 }, (_, at_) => `m${String(at_).padStart(3, '0')}`);
    const story = await settled(
      rolling(1, 1),
      names.map((name) => `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: web}\n`).join(''),
    );
    story.seen = {
      ...story.seen,
      a: shows({
        results: names.map((name) => ({
          object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'web', name },
          result: 'ManifestApplyFailed',
        })),
      }),
    };
    const { failedPlacements } = statusOf(await story.plan(10));
    expect(failedPlacements).toHaveLength(100);
    expect(failedPlacements[0].name).toBe('m000');
  });
});
