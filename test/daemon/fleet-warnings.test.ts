import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { settledFleet } from '../support/small-fleet.ts';

const run = (placement: string) => `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: r}
spec: {placementName: ${placement}, stagedRolloutStrategyName: s}
`;

it('a run with a missing placement is a problem in the summary and the README until it is fixed', async () => {
  const { fleet } = await settledFleet();
  const file = async (path: string) => (await fleet.repo.files('fleet-status'))[path]!;
  fleet.commit({ 'runs/r.yaml': run('wep') });
  await fleet.until('it is reported', async () =>
    (await file('README.md')).includes('there is no ClusterResourcePlacement wep'),
  );
  const { problems } = parse(await file('summary.yaml')) as { problems: object[] };
  expect(problems).toContainEqual({
    severity: 'warning',
    code: 'dangling-reference',
    file: 'runs/r.yaml',
    line: 4,
    column: 8,
    path: 'spec.placementName',
    message: 'ClusterStagedUpdateRun r: there is no ClusterResourcePlacement wep in this repo',
    fix: 'did you mean web?',
  });
  fleet.commit({ 'runs/r.yaml': undefined });
  await fleet.until('it is gone', async () => !(await file('README.md')).includes('wep'));
});
