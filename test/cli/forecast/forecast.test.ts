import { afterAll, describe, expect, it } from 'vitest';
import { devThenProd } from '../../support/dev-then-prod.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';

afterAll(removeFolders);

const repo = (more: Record<string, string> = {}) =>
  folder({
    ...more,
    'clusters/a.yaml': member('a', { env: 'dev' }),
    'clusters/b.yaml': member('b', { env: 'prod' }),
    'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'strategy.yaml': devThenProd('30m'),
    'run.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: web-1}
spec: {placementName: web, stagedRolloutStrategyName: careful}
`,
  });

const forecast = (...flags: string[]) => cli('forecast', '--repo', repo(), '--now', '2026-11-20T10:00:00Z', ...flags);

describe('gitfleet forecast', () => {
  it('says that approvals are never given while fleet.yaml is not valid', async () => {
    const dir = repo({
      'fleet.yaml': 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxClusters: four}}\n',
    });
    const said = async (...flags: string[]) =>
      (await cli('forecast', '--repo', dir, '--now', '2026-11-20T10:00:00Z', ...flags)).out;
    expect(await said()).toContain('approvals are never given');
    expect(JSON.parse(await said('-o', 'json'))).toMatchObject({ assumptions: { approveAfter: 'never' } });
  });

  it('shows stages on a time line, what they need, and every cluster', async () => {
    const { out, code } = await forecast();
    expect(code).toBe(0);
    expect(`\n${out}`).toMatchInlineSnapshot(`
      "
      Everything is done at 2026-11-20 11:03 UTC. web-1: dev done at 2026-11-20 11:01 UTC, prod done at 2026-11-20 11:03 UTC if approved within 1h0m0s.

      web-1 (placement web): done at 2026-11-20 11:03 UTC
        STAGE   CLUSTERS   START                  END                    TIMELINE
        dev     1/1        2026-11-20 10:00 UTC   2026-11-20 11:01 UTC   █▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒????????????????????
        prod    1/1        2026-11-20 11:01 UTC   2026-11-20 11:03 UTC                                          █
        - stage dev: soaks 2026-11-20 10:01 UTC to 2026-11-20 10:31 UTC
        - stage dev: needs approval web-1-after-dev, requested at 2026-11-20 10:01 UTC, given at 2026-11-20 11:01 UTC

      START                  END                    ACTION   ROLLOUT   STAGE   CLUSTER
      2026-11-20 10:00 UTC   2026-11-20 10:01 UTC   add      web-1     dev     a
      2026-11-20 11:01 UTC   2026-11-20 11:03 UTC   add      web-1     prod    b

      █ changes, ░ soaks, ? waits for approval, ▒ soaks and waits for approval, · frozen or no window open, ▶ beyond the end

      Supposed: clusters are ready after 1m30s, and approvals are given after 1h0m0s.
      "
    `);
  });
  it('says that files have errors, with the place and what to write instead', async () => {
    const broken = repo({
      'freeze.yaml': 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {freezes: []}\n',
    });
    const forecast = (...flags: string[]) => cli('forecast', '--repo', broken, ...flags);
    const { out, code } = await forecast();
    expect(code).toBe(2);
    expect(out).toMatch(/^❌ 1 error: what is not valid is not part of it; /);
    expect(out).toMatch(/\n\nProblems\nfreeze\.yaml:3:\d+: error/);
    expect((await forecast('-o', 'markdown')).out).toContain('**Problem.** freeze.yaml:3:');
    expect(JSON.parse((await forecast('-o', 'json')).out)).toMatchObject({
      problems: [{ file: 'freeze.yaml', line: 3 }],
    });
  });
  it('prints the same as JSON, with what it supposes', async () => {
    const { out } = await forecast('-o', 'json', '--approve-after', 'never');
    expect(JSON.parse(out)).toMatchObject({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'Forecast',
      from: '2026-11-20T10:00:00Z',
      until: '2026-11-27T10:00:00Z',
      assumptions: { readyAfter: '90s', approveAfter: 'never' },
      rollouts: [{ run: 'web-1', stages: [{ name: 'dev' }, { name: 'prod', clusters: [], notStarted: 1 }] }],
    });
  });
  it('supposes that clusters are ready before the deadlines of runs', async () => {
    const files = repo({
      'run-2.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: web-2, annotations: {gitfleet.dev/progress-deadline: 1m}}
spec: {placementName: web, stagedRolloutStrategyName: careful}
`,
    });
    const forecast = (...flags: string[]) => cli('forecast', '--repo', files, ...flags);
    expect((await forecast()).out).toContain('\nSupposed: clusters are ready after 30s, ');
    expect(JSON.parse((await forecast('-o', 'json')).out)).toMatchObject({ assumptions: { readyAfter: '30s' } });
    expect((await forecast('--ready-after', '90s')).out).toContain('\nSupposed: clusters are ready after 1m30s, ');
  });
  it('says which placements need an update run', async () => {
    const withoutRun = folder({
      'clusters/a.yaml': member('a', { env: 'dev' }),
      'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
    });
    const { out } = await cli('forecast', '--repo', withoutRun, '--now', '2026-11-20T10:00:00Z');
    expect(out).toContain(
      'Nothing changes on any cluster. Needs a staged update run: web; to start a run, add a file with {apiVersion: placement.kubernetes-fleet.io/v1, kind: ClusterStagedUpdateRun, metadata: {name: NEW-NAME}, spec: {placementName: web, stagedRolloutStrategyName: STRATEGY}}.\n',
    );
  });
  it('prints Markdown for a comment', async () => {
    const { out } = await forecast('-o', 'markdown', '--ready-after', '5m');
    expect(out).toContain('### gitfleet forecast\n\nEverything is done at 2026-11-20 11:10 UTC. web-1: dev done at ');
    expect(out).toContain('\n- stage dev: needs approval web-1-after-dev, requested at 2026-11-20 10:05 UTC, ');
  });
  it('refers to nothing in Markdown, whatever the files say', async () => {
    const rejected = repo({
      'approvals/web-1.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterApprovalRequest
metadata: {name: web-1-after-dev}
spec: {parentStageRollout: web-1, targetStage: dev}
status: {conditions: [{type: Approved, status: "False", reason: Rejected, message: "Closes #12 for @team"}]}
`,
    });
    const { out } = await cli('forecast', '--repo', rejected, '--now', '2026-11-20T10:00:00Z', '-o', 'markdown');
    expect(out.match(/Closes #\u200b12 for @\u200b+team/g)).toHaveLength(2);
    expect(out).not.toMatch(/#12|@team/);
  });
  it('refuses a duration that is none', async () => {
    const { err, code } = await forecast('--until', 'a week');
    expect([code, err]).toEqual([2, 'gitfleet: --until a week is not a duration: write for example 90s, 1h or 7d\n']);
    expect((await forecast('--approve-after', 'soon')).err).toContain('write for example 90s, 1h or 7d, or never\n');
  });
});

it('a forecast names placements that are short of clusters', async () => {
  const dir = folder({
    'clusters/a.yaml': member('a', { env: 'dev' }),
    'web.yaml': placement('web', '{placementType: PickN, numberOfClusters: 2}'),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
  });
  const { out } = await cli('forecast', '--repo', dir, '--now', '2026-11-20T10:00:00Z');
  expect(out.split('\n')[0]).toMatch(
    /^All rollouts are done at \S+ \S+ UTC\. Not fully scheduled: web \(gitfleet explain placement NAME explains why\)\.$/,
  );
});
