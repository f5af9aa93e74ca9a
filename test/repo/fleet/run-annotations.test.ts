import { expect, it } from 'vitest';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { treeOf } from '../../support/paper-fleet.ts';

const loaded = (annotation: string) =>
  loadFleet(
    treeOf({
      'runs/web-1.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata:
  name: web-1
  annotations:
    gitfleet.dev/${annotation}
spec: {placementName: web, stagedRolloutStrategyName: careful}
`,
    }),
  );

it.each([
  ['progress-deadline: 30m'],
  ['progress-deadline: 1h30m'],
  ['max-failures: "0"'],
  ['max-failures: "2"'],
  ['max-failures: 5%'],
  ['on-failure: stop'],
  ['on-failure: rollback'],
])('%s is accepted', async (annotation) => {
  const { runs, refused, problems } = await loaded(annotation);
  expect([runs.length, refused.length]).toEqual([1, 0]);
  expect(problems.filter(({ path }) => path?.includes('annotations'))).toEqual([]);
});

it.each([
  ['progress-deadline: "30"', 'invalid-duration', '"30" is not a duration', 'write 30s, 30m or 30h'],
  ['progress-deadline: 1d', 'invalid-duration', '"1d" is not a duration', 'write for example 30m'],
  ['progress-deadline: 0s', 'invalid-duration', 'a progress deadline is longer than 0', 'write for example 30m'],
  ['progress-deadline: 99999h', 'invalid-duration', 'a progress deadline is at most ten years', 'write at most 87600h'],
  [
    'max-failures: two',
    'invalid-int-or-percent',
    '"two" is neither a number of 0 or more nor a percentage up to 100%',
    'write for example "1" or 25%',
  ],
  [
    'max-failures: 101%',
    'invalid-int-or-percent',
    '"101%" is neither a number of 0 or more nor a percentage up to 100%',
    'write for example "1" or 25%',
  ],
  ['on-failure: Rollback', 'invalid-value', '"Rollback" is nothing that a failed run can do', 'write stop or rollback'],
])('%s is refused with its place', async (annotation, code, message, fix) => {
  const { runs, refused, problems } = await loaded(annotation);
  expect([runs.length, refused.length]).toEqual([0, 1]);
  expect(problems.filter(({ severity }) => severity === 'error')).toMatchObject([
    { code, message: `ClusterStagedUpdateRun web-1: ${message}`, fix, file: 'runs/web-1.yaml', line: 6 },
  ]);
});
