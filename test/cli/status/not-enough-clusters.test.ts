import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { narrate } from '../../../src/cli/demo/narrate.ts';
import type { Plan } from '../../../src/engine/plan-document.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';

const ofProd =
  'affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: prod}}}]}}}';
const cordoned = 'taints: [{key: cordon-key, value: cordon-value, effect: NoSchedule}]';
const unfit =
  'dev-1: cluster does not match any of the required cluster affinity terms; us-2: taint cordon-key=cordon-value:NoSchedule is not tolerated';
const why = `2 of 3 clusters scheduled; ${unfit}`;

let fleet: FleetOnGit;
let first: Plan;
const open = async () => {
  fleet = await FleetOnGit.open({
    'clusters/eu-1.yaml': member('eu-1', { env: 'prod' }),
    'clusters/us-1.yaml': member('us-1', { env: 'prod' }),
    'clusters/us-2.yaml': member('us-2', { env: 'prod' }, cordoned),
    'clusters/dev-1.yaml': member('dev-1', { env: 'dev' }),
    'placements/web.yaml': placement('web', `{placementType: PickN, numberOfClusters: 3, ${ofProd}}`),
    'placements/base.yaml': placement('base', '{placementType: PickAll}'),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'resources/base.yaml': deployment('base', 'base', 'base:1'),
  });
  first = await fleet.pass();
  await fleet.settle();
};
const uncordon = async () => {
  fleet.commit({ 'clusters/us-2.yaml': member('us-2', { env: 'prod' }) }, 'Uncordon us-2');
  await fleet.settle();
};
afterAll(removeFolders);

const run = (...args: string[]) => cli(...args, '--repo', fleet.dir);
const published = (path: string): string => fleet.git('show', `fleet-status:${path}`);
const subjects = (): string[] => fleet.git('log', '--format=%s', 'fleet-status').split('\n');

describe('a placement with 2 of 3 clusters', () => {
  beforeAll(open);

  it('is listed on the dashboard with the reasons and what to do', () => {
    const readme = published('README.md');
    expect(readme).toMatch(/^# ⚠️ 1 thing needs you · all 4 clusters as desired\n/);
    expect(readme).toContain(`## Not enough clusters

Add clusters that fit, or change the policies: fewer clusters, or fewer requirements.

- **web**, since 2026-11-20T10:00:00Z: ${why}. All clusters: \`gitfleet explain placement web\`
`);
    expect(readme).toContain(
      '| ⚠️ | [web](placements/web/status.yaml) | **2** / 3 | [0](placements/web/snapshots/0.yaml) | not enough clusters: 2 of 3 found |\n',
    );
    expect(readme).toContain(
      '| ✅ | [base](placements/base/status.yaml) | 3 / 3 | [0](placements/base/snapshots/0.yaml) | as desired |\n',
    );
  });

  it('is in the summary', () => {
    expect(parse(published('summary.yaml'))).toMatchObject({
      counts: { notEnoughClusters: 1 },
      notEnoughClusters: [
        {
          kind: 'ClusterResourcePlacement',
          name: 'web',
          found: 2,
          wanted: 3,
          since: '2026-11-20T10:00:00Z',
          why: [
            {
              reason: 'cluster does not match any of the required cluster affinity terms',
              clusters: ['dev-1'],
              count: 1,
            },
            { reason: 'taint cordon-key=cordon-value:NoSchedule is not tolerated', clusters: ['us-2'], count: 1 },
          ],
        },
      ],
    });
  });

  it('is in the commit with which it begins', () => {
    expect(subjects().at(-1)).toMatch(/^web: only 2 of 3 clusters scheduled; /);
  });

  it('is in the narration of the demo', () => {
    expect(narrate(undefined, first)).toContainEqual({
      tone: 'bad',
      subject: 'web',
      text: `only ${why} (gitfleet explain placement web)`,
    });
  });

  it('is shown by get, describe and plan', async () => {
    expect((await run('get', 'placement', 'web')).out).toMatch(
      /CLUSTERS +SNAPSHOT +REASON +AGE\nweb +2\/3 +0 +Not enough clusters: explain placement web /,
    );
    expect((await run('describe', 'placement', 'web')).out).toContain(
      `Waits for:\n  1 more cluster: ${why} (gitfleet explain placement web)\n`,
    );
    expect((await run('get', 'events')).out).toMatch(
      /Warning +SchedulingPolicyUnfulfilled +clusterresourceplacement\/web +2 of 3 clusters scheduled\n/,
    );
    expect((await run('plan')).out).toContain(`explains why):\n  web: ${why}\n`);
    expect((await run('plan', '-o', 'markdown')).out).toContain(`**Not enough clusters**\n- **web**, since`);
  });

  it('fails a wait for all of its clusters, unless fewer are enough', async () => {
    const wait = (...args: string[]) => run('wait', ...args, '--timeout', '0s');
    const { code, err } = await wait('placement/web', '--for=Available');
    expect(code).toBe(1);
    expect(err).toContain(
      '  placement/web: Scheduled is False (SchedulingPolicyUnfulfilled: could not find all clusters',
    );
    expect(err).toContain(`    1 more cluster: ${why}`);
    expect(err).toContain('With --partial the wait ends once the condition is met on the clusters that were found.\n');
    expect(await wait('placement/web', '--for=Available', '--partial')).toMatchObject({
      code: 0,
      out: 'placement/web condition met\n',
    });
    expect((await wait('placement/base', '--for=Available')).code).toBe(0);
    for (const other of ['placement/web --for=delete', 'placement/web --for=Scheduled', 'cluster/eu-1 --for=Joined'])
      expect(await wait(...other.split(' '), '--partial')).toMatchObject({
        code: 2,
        err: expect.stringContaining('--partial is for conditions of placements on their clusters'),
      });
  });

  it('is named before a cluster is drained, uncordoned, or assumed to be gone', async () => {
    const of1 = `1 of 3 clusters scheduled; ${unfit}`;
    expect((await run('drain', 'us-1', '--dry-run')).err).toBe(
      `note: web will not have enough clusters: only ${of1}\n`,
    );
    expect((await run('plan', '--without-cluster', 'us-1')).out).toContain(
      '! no longer fits: 1 of 3 clusters scheduled\n',
    );
    expect((await run('uncordon', 'us-2', '--dry-run')).err).toBe(
      'note: web will have enough clusters again: now it has 2 of 3\n',
    );
  });
});

describe('once it has enough', () => {
  beforeAll(async () => {
    await open();
    await uncordon();
  });

  it('the commit names that, and nothing is left of it', async () => {
    expect(subjects().some((subject) => subject.includes('web: enough clusters again; '))).toBe(true);
    expect(published('README.md')).not.toContain('enough clusters');
    expect(published('summary.yaml')).not.toContain('notEnoughClusters');
    expect((await run('get', 'placement', 'web')).out).toMatch(/ 3\/3 +0 +<none> /);
    expect(await run('wait', 'placement/web', '--for=Available', '--timeout', '0s')).toMatchObject({ code: 0 });
  });

  it('a drain names that it will lack one', async () => {
    expect((await run('drain', 'us-1', '--dry-run')).err).toBe(
      'note: web will not have enough clusters: only 2 of 3 clusters scheduled; dev-1: cluster does not match any of the required cluster affinity terms\n',
    );
  });
});
