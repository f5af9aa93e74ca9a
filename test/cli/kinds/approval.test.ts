import { describe, expect, it } from 'vitest';
import type { ClusterName, Condition } from '../../../src/api/meta.ts';
import { approvalRequest } from '../../../src/api/staged.ts';
import { approvals } from '../../../src/cli/kinds/approvals/approvals.ts';
import { approvalPage, requestOfStage } from '../../../src/cli/kinds/approvals/page.ts';
import { runPage } from '../../../src/cli/kinds/runs/page.ts';
import type { StageFacts } from '../../../src/report/approval/approval-page.ts';
import { asked, at, cluster, is, run, statusWith, waiting } from './world.ts';

const request = (name: string, targetStage: string, conditions: Condition[] = []) =>
  approvalRequest.parse({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterApprovalRequest',
    metadata: { name, annotations: { 'gitfleet.dev/review': 'sha256:12' } },
    spec: { parentStageRollout: 'web-1', targetStage },
    status: { conditions },
  });

const placement = { kind: 'ClusterResourcePlacement', name: 'web' } as const;
const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'web', name: 'settings' };
const clusters = ['us-1', 'us-2'] as unknown as ClusterName[];
const facts: StageFacts = {
  commits: [{ oid: 'abcdef1234', subject: 'web 2', author: 'Ann' }],
  changes: [
    { action: 'remove', placement, object: { ...object, name: 'old' }, clusters, diff: '- a: 1' },
    { action: 'change', placement, object, clusters, diff: '- a: 1\n+ a: 2' },
  ],
  isKnown: true,
  rebuilt: [],
  kept: [],
};

describe('describe approval', () => {
  const page = (...args: Parameters<typeof approvalPage>) => `\n${approvalPage(...args).join('\n\n')}\n`;

  it('shows since when the run waits, what approval starts and when, and how to approve', () => {
    expect(page(request('web-1-after-canary', 'canary'), statusWith([waiting]), facts)).toMatchInlineSnapshot(`
      "
      Name:       web-1-after-canary
      Kind:       ClusterApprovalRequest
      Run:        web-1
      Placement:  web
      Snapshot:   3
      Stage:      after canary
      Decision:   none yet
      Requested:  2026-11-20T11:05:00Z
      Waiting:    run web-1: waiting for the soak of canary and approval web-1-after-canary
      Review:     sha256:12

      Approval starts:
        nothing yet: stage prod, 2 clusters, at most 2 at once: us-1, us-2, also waits for approval web-1-before-prod
        not before the soak of stage canary is over, at 2026-11-20T12:05:00Z
        If a cluster fails, the run fails: no further one starts, and all keep what they have.

      On the clusters: removes 2 objects, changes 2:
        web: ConfigMap web/old removed, same on 2 clusters (us-1, us-2)
        web: ConfigMap web/settings changed, same on 2 clusters (us-1, us-2)
        - a: 1
        + a: 2

      Commits:
        abcdef1 web 2 (Ann)

      So far:
        canary: 1 of 1 clusters updated and available (eu-1); soak 1h0m0s, under way until 2026-11-20T12:05:00Z; waits for approval

      How to approve or reject:
        approve:  gitfleet approve web-1-after-canary
                  or merge branch gitfleet/approve/web-1-after-canary; in a clone:
                  git pull && git merge --no-ff --no-edit origin/gitfleet/approve/web-1-after-canary && git push
        reject:   gitfleet approve web-1-after-canary --reject --reason "…"; that ends the run
      "
    `);
  });

  it('says that no decision counts while the plan is refused, and so does the page of the run', () => {
    const status = statusWith([waiting]);
    const refused = { ...status, notInEffect: { ...status.notInEffect, refusals: ['too many clusters'] } };
    const why = 'nothing continues and no decision counts while the guard refuses the plan: too many clusters';
    expect(page(request('web-1-after-canary', 'canary'), refused, facts)).toContain(`Decision:   ${why}\n`);
    expect(runPage(waiting, refused).join('\n')).toContain(`Waits for:\n  ${why}\n`);
    const notValid = [{ kind: 'FleetConfig', name: 'fleet', file: 'fleet.yaml' }];
    const broken = { ...status, notInEffect: { ...status.notInEffect, notValid } };
    expect(runPage(waiting, broken).join('\n')).toContain(
      'Waits for:\n  No approval counts while fleet.yaml is not valid',
    );
  });

  it('says why it does not tell what changes', () => {
    const status = statusWith([waiting]);
    const planned = (commit?: string) => ({ ...status, record: { ...status.record, ...(commit && { commit }) } });
    const asked = request('web-1-after-canary', 'canary');
    expect(page(asked, planned())).toContain('On the clusters: not known here: the status branch names no commit\n');
    expect(page(asked, planned('c'.repeat(40)))).toContain('not known here: the repo has no commit cccccccccccc\n');
    const decided = request('web-1-after-canary', 'canary', [is('Approved', 'True', 9)]);
    expect(page(decided, planned())).not.toContain('On the clusters');
  });

  it('before a stage approval starts that stage', () => {
    const [first, ...others] = waiting.status!.stagesStatus!;
    const ended = { ...first!, conditions: [is('Succeeded', 'True', 5)], endTime: at(5) };
    const reached = { ...waiting, status: { ...waiting.status, stagesStatus: [ended, ...others] } };
    expect(page(request('web-1-before-prod', 'prod'), statusWith([reached]))).toContain(
      'Approval starts:\n  stage prod, 2 clusters, at most 2 at once: us-1, us-2\n',
    );
  });

  it.each([
    ['the end of the run', [], 'the end of the run: nothing is left after it'],
    ['the removal of the remaining bindings', ['old-1', 'old-2'], 'the removal from 2 clusters: old-1, old-2'],
  ])('after the last stage approval starts %s', (_, leaving, expected) => {
    const last = run({
      stagesStatus: [
        {
          stageName: 'canary',
          clusters: [],
          afterStageTaskStatus: [{ type: 'Approval', approvalRequestName: 'web-1-after-canary', conditions: [asked] }],
        },
      ],
      deletionStageStatus: { stageName: 'delete', clusters: leaving.map((name) => cluster(name)) },
    });
    expect(page(request('web-1-after-canary', 'canary'), statusWith([last]))).toContain(
      `Approval starts:\n  ${expected}\n`,
    );
  });

  const gate = (approvalRequestName: string, ...conditions: Condition[]) => [
    { type: 'Approval', approvalRequestName, conditions },
  ];
  const canary = {
    stageName: 'canary',
    clusters: [cluster('eu-1', is('Started', 'True', 0), is('Succeeded', 'True', 5))],
    afterStageTaskStatus: gate('web-1-after-canary', asked),
  };
  const prod = { stageName: 'prod', clusters: [cluster('us-1'), cluster('us-2', is('Skipped', 'True', 1))] };
  const stage = 'stage prod, 1 cluster, at most 2 at once: us-1';
  const last = { stageName: 'last', clusters: [cluster('au-1')] };
  const strategy = ['canary', 'prod', 'last'].map((name) => ({
    name,
    ...(name !== 'canary' && { maxConcurrency: 2, afterStageTasks: [{ type: 'TimedWait', waitTime: '2h' }] }),
  }));
  const deletionStageStatus = { stageName: 'delete', clusters: [cluster('old-1')] };
  const gated = { ...prod, beforeStageTaskStatus: gate('web-1-before-prod') };
  const rollback = { 'gitfleet.dev/on-failure': 'rollback' };

  it.each<[string, object[], object, string, string[]]>([
    ['a stage without a cluster that left', [canary, prod], {}, 'prod (1 cluster)', [stage]],
    [
      'a stage behind one without clusters',
      [canary, { stageName: 'prod', clusters: [], beforeStageTaskStatus: gate('web-1-before-prod') }, last],
      {},
      'last (1 cluster)',
      ['stage last, 1 cluster, at most 2 at once: au-1'],
    ],
    [
      'all stages, then removals',
      [canary, prod, last],
      { deletionStageStatus },
      'removal from 1 cluster, prod (1 cluster), last (1 cluster)',
      [
        stage,
        'then after a soak of 2h0m0s stage last, 1 cluster, at most 2 at once: au-1',
        'then after a soak of 2h0m0s the removal from 1 cluster: old-1',
      ],
    ],
    [
      'stages up to the next gate',
      [canary, { ...prod, afterStageTaskStatus: gate('web-1-after-prod') }, last],
      { deletionStageStatus },
      'prod (1 cluster)',
      [stage, 'then the run waits for approval web-1-after-prod'],
    ],
    [
      'stages up to a gate behind a soak',
      [canary, prod, { ...last, beforeStageTaskStatus: gate('web-1-before-last') }],
      {},
      'prod (1 cluster)',
      [stage, 'then after a soak of 2h0m0s stage last waits for approval web-1-before-last'],
    ],
    [
      'nothing before another gate',
      [canary, gated, last],
      {},
      'no cluster yet',
      [`nothing yet: ${stage}, also waits for approval web-1-before-prod`],
    ],
  ])('approval starts %s', (_, stagesStatus, more, title, expected) => {
    const asks = run({ stagesStatus, stagedUpdateStrategySnapshot: { stages: strategy }, ...more });
    const one = request('web-1-after-canary', 'canary');
    expect(page(one, statusWith([asks]))).toContain(`Approval starts:\n  ${expected.join('\n  ')}\n`);
    expect(requestOfStage(one, statusWith([asks]).record)?.title).toBe(`Approve web-1: ${title} after canary`);
  });

  it('and describe run say that it is approved for when the run continues', () => {
    const approvedBy = { commit: '41ab9c0'.padEnd(40, '0'), author: 'Ann' };
    const task = { type: 'Approval', approvalRequestName: 'web-1-after-canary', conditions: [asked], approvedBy };
    const stopped = {
      ...run({
        conditions: [
          { ...is('Progressing', 'False', 5, 'the update run is stopped in stage canary'), reason: 'UpdateRunStopped' },
        ],
        stagesStatus: [{ ...canary, afterStageTaskStatus: [task] }, prod],
      }),
    };
    const status = statusWith([{ ...stopped, spec: { ...stopped.spec, state: 'Stop' } }]);
    const of = page(request('web-1-after-canary', 'canary', [is('Approved', 'True', 6)]), status);
    const later = 'approved by Ann in commit 41ab9c0, which counts once the run continues';
    expect(of).toContain(`Decision:   ${later}\n`);
    expect(of).not.toContain('How to approve');
    const described = runPage(status.record.runs.values().next().value!, status).join('\n\n');
    expect(described).toContain(`after it: approval web-1-after-canary ${later}\n`);
    expect(described).toContain(
      'Waits for:\n  someone to resume it: gitfleet resume run web-1\n  stopped in stage canary\n',
    );
  });

  it('says what it waits for besides, and that rejecting returns clusters', () => {
    const pageOf = (
      clusters: typeof canary.clusters,
      deadline: object = { 'gitfleet.dev/progress-deadline': '30m' },
    ) => {
      const asks = run({ stagesStatus: [{ ...canary, clusters }, prod] });
      const stopped = {
        ...asks,
        metadata: { ...asks.metadata, annotations: { ...rollback, ...deadline } },
        spec: { ...asks.spec, state: 'Stop' },
      };
      const { record } = statusWith([stopped as typeof asks]);
      const one = request('web-1-after-canary', 'canary');
      return requestOfStage(one, record, { ...facts, pause: 'freeze "all" is removed' })!;
    };
    const known = canary.clusters.map((of) => ({ ...of, previous: { resourceSnapshotIndex: 0 } }));
    const { title, lead, instructions } = pageOf(known);
    expect(title).toBe('Approve web-1: prod (1 cluster) after canary, once the stopped run continues');
    expect(lead[0]).toBe(
      `Merging starts ${stage}; not before someone resumes the run, which is stopped: gitfleet resume run web-1; not before freeze "all" is removed.`,
    );
    expect(lead[2]).toBe(
      'If a cluster fails, the run fails: those that it reached return to the snapshot that they had.',
    );
    expect(pageOf(known, {}).lead[2]).toBe(
      `${lead[2]} It has no progress-deadline: it waits for a cluster that does not become available, which is no failure.`,
    );
    expect(instructions).toContain(
      'To reject, which returns 1 cluster to the snapshot of before the run (stage canary: eu-1) and ends the run; not before someone resumes the run, which is stopped: gitfleet resume run web-1: `gitfleet',
    );
    const why = 'eu-1 (nothing was there before, or on-failure: rollback came later)';
    const unknown = pageOf(canary.clusters);
    expect(unknown.lead[2]).toBe(
      `If a cluster fails, the run fails: those that it reached return to the snapshot that they had, except ${why}.`,
    );
    expect(unknown.instructions).toContain(
      `To reject, which ends the run; 1 cluster keeps what it has: ${why}: \`gitfleet`,
    );
  });

  it('approved, nothing waits and nothing is to do', () => {
    const text = page(request('web-1-after-canary', 'canary', [is('Approved', 'True', 9)]), statusWith([waiting]));
    expect(text).toContain(`Decision:   approved\nDecided:    ${at(9)}\nWaiting:    none\n`);
    expect(text).not.toContain('How to approve or reject');
  });

  it('approved, it shows what it has started, also once that is done', () => {
    const started = run({
      stagesStatus: [
        {
          ...canary,
          afterStageTaskStatus: gate('web-1-after-canary', asked, is('ApprovalRequestApproved', 'True', 9)),
        },
        { stageName: 'prod', clusters: [cluster('us-1', is('Started', 'True', 10), is('Succeeded', 'True', 12))] },
      ],
    });
    const text = page(request('web-1-after-canary', 'canary', [is('Approved', 'True', 9)]), statusWith([started]));
    expect(text).toContain('Approval starts:\n  stage prod, 1 cluster, at most 2 at once: us-1');
  });

  it('shows who approved', () => {
    const by = 'approved by Ann in commit 41ab9c0';
    const conditions = [asked, is('ApprovalRequestApproved', 'True', 9)];
    const approvedBy = { commit: '41ab9c0'.padEnd(40, '0'), author: 'Ann' };
    const task = { type: 'Approval', approvalRequestName: 'web-1-after-canary', conditions, approvedBy };
    const ran = run({ stagesStatus: [{ stageName: 'canary', clusters: [], afterStageTaskStatus: [task] }] });
    const text = page(request('web-1-after-canary', 'canary', [is('Approved', 'True', 9)]), statusWith([ran]));
    expect(text).toContain(`Decision:   ${by}\nDecided:    ${at(9)}\n`);
  });

  it('shows who rejected, when, and not what approval would start', () => {
    const message = 'approval web-1-after-canary was rejected on main by Ann in commit 41ab9c0: too slow';
    const failed = (minute: number) => ({ ...is('Succeeded', 'False', minute), reason: 'ApprovalRejected', message });
    const task = { type: 'Approval', approvalRequestName: 'web-1-after-canary', conditions: [asked] };
    const stage = { stageName: 'canary', clusters: [], conditions: [failed(9)], afterStageTaskStatus: [task] };
    const ran = run({ stagesStatus: [stage], conditions: [failed(9)] });
    const status = statusWith([ran]);
    const text = page(request('web-1-after-canary', 'canary', [is('Approved', 'False', 9)]), status);
    const by = 'rejected on main by Ann in commit 41ab9c0: too slow';
    expect(text).toContain(`Decision:   ${by}\nDecided:    ${at(9)}\n`);
    expect(text).not.toContain('Approval starts');
    expect(runPage(ran, status).join('\n')).toContain(`after it: approval web-1-after-canary ${by}, at ${at(9)}`);
    const other = { ...failed(9), reason: 'UpdateRunFailed', message: 'a cluster failed' };
    const unanswered = run({ stagesStatus: [{ ...stage, conditions: [other] }], conditions: [other] });
    expect(runPage(unanswered, status).join('\n')).toContain(`not approved: the run is over since ${at(9)}`);
  });

  it('names the pull request where the forge has one', () => {
    const url = 'https://forge.example/acme/fleet/pulls/1';
    const pages = new Map([['web-1-after-canary', { url, state: 'open' as const }]]);
    expect(page(request('web-1-after-canary', 'canary'), { ...statusWith([waiting]), pages })).toContain(`
  request:  ${url}
  approve:  gitfleet approve web-1-after-canary
            or merge branch gitfleet/approve/web-1-after-canary, or its pull request; in a clone:
`);
  });

  it('of a run that is not recorded, shows its own fields', () => {
    const text = page(request('web-1-after-canary', 'canary'), statusWith([]));
    expect(text).toContain('Placement:  <none>\n');
    expect(text).toContain('or merge branch gitfleet/approve/web-1-after-canary; in a clone');
  });
});

it('get approvals shows the pull request of each', async () => {
  const approval = request('web-1-after-canary', 'canary');
  const status = statusWith([waiting]);
  const url = 'https://forge.example/acme/fleet/pulls/1';
  const rows = await approvals.rows(
    {
      ...status,
      record: { ...status.record, approvals: new Map([['web-1-after-canary', approval]]) as never },
      pages: new Map([['web-1-after-canary', { url, state: 'closed' }]]),
    },
    {} as never,
  );
  const cells = new Map(rows[0]!.cells.map(({ heading, cell }) => [heading, cell]));
  expect([cells.get('PULL-REQUEST'), cells.get('URL')]).toEqual(['closed', url]);
});
