import { describe, expect, it } from 'vitest';
import {
  app,
  at,
  bindingOn,
  type Document,
  deployment,
  held,
  holds,
  members,
  moves,
  namespace,
  placement,
  rolling,
  type Sight,
  type Step,
  Story,
  told,
  words,
} from './world.ts';

const all = '{placementType: PickAll}';
const applying = (strategy: string): string =>
  `{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 1}, applyStrategy: ${strategy}}`;

/** Two clusters, everything available; what `a` shows next is the case. */
async function settled(strategy = rolling(1, 1), more = ''): Promise<Story> {
  const story = new Story({
    ...members('a b'),
    'web.yaml': placement(all, strategy),
    'resources/web.yaml': app('web:1', more),
  });
  story.seen = {};
  await story.plan();
  story.seen = { a: holds(0), b: holds(0) };
  return story;
}

const theDeployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'web', name: 'web' };
const result = (word: string, more: Document = {}, object: Document = theDeployment): Document => ({
  results: [{ object, result: word, ...more }],
});
const shows = (more: Document, objects: readonly Document[] = [namespace, deployment(2)]): Sight => ({
  placements: [told(0, more)],
  objects,
});

/** Conditions of the binding on a beyond RolloutStarted and Overridden, then those of the placement beyond Overridden. */
const reached = (step: Step): string[] => [
  ...words(bindingOn(step, 'a').conditions).slice(2),
  ...words(step.plan.placements[0].conditions).slice(3),
];
const statusOf = (step: Step, cluster = 'a'): Document =>
  step
    .file('placements/web/status.yaml')
    .status.placementStatuses.find(({ clusterName }: Document) => clusterName === cluster);

const synced = ['WorkSynchronized=True/AllWorkSynced'];
const placementSynced = ['ClusterResourcePlacementWorkSynchronized=True/WorkSynchronized'];

describe('what the actor says becomes conditions of the binding and the placement', () => {
  it.each([
    ...[
      'ManifestApplyFailed',
      'FailedToTakeOver',
      'NotTakenOver',
      'FoundDrifts',
      'FoundDriftsInDegradedMode',
      'DecodingErred',
      'FoundGenerateName',
      'Duplicated',
      'PreparingToProcess',
      'FailedToFindObjInMemberCluster',
      'FailedToRunDriftDetection',
    ].map((word): [string, Sight, string[]] => [
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
  ] satisfies [string, Sight, string[]][])('%s', async (_, sight, expected) => {
    const story = await settled();
    story.seen = { ...story.seen, a: sight };
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

describe('drifted placements', () => {
  const drift = [{ path: '/spec/replicas', valueInMember: '5', valueInHub: '2' }];

  it('under IfNotDrifted stop the apply, tell both values, and remember since when', async () => {
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
    expect(statusOf(step).driftedPlacements[0].observedDrifts).toEqual([
      { path: '/data/token', valueInMember: '(redacted)', valueInHub: '(redacted)' },
      { path: '/stringData/token', valueInHub: '(redacted)' },
      { path: '/type', valueInMember: 'Opaque', valueInHub: 'other' },
    ]);
    expect(JSON.stringify(step.plan)).not.toContain('c3RvbGVu');
  });

  it('beyond what a status can hold are told by path and number alone', async () => {
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

describe('takeover', () => {
  it('IfNoDiff that is refused shows the differences and keeps the rollout there', async () => {
    const story = new Story({
      ...members('a b'),
      'web.yaml': placement(all, applying('{whenToTakeOver: IfNoDiff}')),
      'resources/web.yaml': app('web:1'),
    });
    const diffs = [{ path: '/spec/replicas', valueInMember: '9', valueInHub: '2' }];
    story.seen = {};
    await story.plan();
    story.seen = {
      a: shows(result('FailedToTakeOver', { message: 'it differs', details: diffs }), [namespace]),
      b: holds(0),
    };
    const step = await story.plan(10);
    expect(statusOf(step).diffedPlacements).toEqual([
      {
        group: 'apps',
        version: 'v1',
        kind: 'Deployment',
        namespace: 'web',
        name: 'web',
        observationTime: at(10),
        firstDiffedObservedTime: at(10),
        observedDiffs: diffs,
      },
    ]);
    expect(statusOf(step).failedPlacements[0].condition).toMatchObject({ type: 'Applied', reason: 'FailedToTakeOver' });
    expect(statusOf(step).driftedPlacements).toBeUndefined();
    // The next version overtakes it at once, b waits for the budget: N = 2, one ready, one may be missing.
    story.files['resources/web.yaml'] = app('web:2');
    expect(moves(await story.plan(20))).toEqual(['a Bound 1 update', 'b Bound 0 wait']);
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

  it('given up for applying is not what applying came to: it is in progress until the member tells of it', async () => {
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

  it('in place of applying is in progress until the member tells of it: what was applied was not compared', async () => {
    const story = await settled();
    await story.plan(10);
    story.files['web.yaml'] = placement(all, report);
    const step = await story.plan(20);
    expect(words(bindingOn(step, 'a').conditions).at(-1)).toBe('DiffReported=False/DiffReportInProgress');
    const next = await story.plan(30);
    expect(words(bindingOn(next, 'a').conditions).at(-1)).toBe('DiffReported=True/AllWorkHaveDiffReported');
  });
});

describe('apply strategies', () => {
  it.each([
    '{type: ServerSideApply, serverSideApplyConfig: {force: true}}',
    '{type: ServerSideApply}',
    '{whenToTakeOver: Never}',
    '{allowCoOwnership: true}',
    '{comparisonOption: FullComparison, whenToApply: IfNotDrifted}',
  ])('a change to %s alone moves nothing, on no cluster', async (strategy) => {
    const story = await settled();
    await story.plan(10);
    story.files['web.yaml'] = placement(all, applying(strategy));
    const step = await story.plan(20);
    expect([moves(step), held(step), step.code]).toEqual([['a Bound 0 keep', 'b Bound 0 keep'], [], 0]);
  });

  it('ClientSideApply says once how it is done', async () => {
    const story = await settled();
    const { conditions } = bindingOn(await story.plan(10), 'a');
    expect(conditions.filter(({ message }: Document) => /server-side apply/.test(message))).toHaveLength(1);
  });
});
