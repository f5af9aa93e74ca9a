import { expect, it } from 'vitest';
import type { StagedUpdateRun } from '../../src/api/staged.ts';
import { approvalMarkdown } from '../../src/report/approval/approval-markdown.ts';
import { removalPage } from '../../src/report/approval/removal-page.ts';

const change = (text: string, isRemoval = false) => ({ title: text, diff: `-a\n+${text}`, isRemoval });

it('stays below the limit of the forge, and keeps removals', () => {
  const changes = [change('gone', true), ...Array.from({ length: 500 }, (_, at) => change(`${at} ${'x'.repeat(500)}`))];
  const { body } = approvalMarkdown(
    {
      title: 'Approve',
      lead: ['Merging starts it.'],
      instructions: '',
      sections: [],
      changes,
      changesTitle: 'On the clusters: removes 1 object',
    },
    65_536,
  );
  expect(body.length).toBeLessThan(65_536);
  expect(body).toContain('**gone**');
  expect(body).toContain('which do not fit here');
});

it('calls nobody and closes nothing, whatever names and messages say', () => {
  const messages = ['removes @acme/all, closes #12\n/close\n<script>', 'Fixes https://github.com/acme/fleet/issues/3'];
  const page = removalPage({ name: 'removal-1', removalDigest: 'sha256:1', messages }, { problems: [] });
  const { title, body } = approvalMarkdown(page, 65_536);
  expect(body).not.toContain('<script');
  for (const text of [title, body]) {
    expect(text).not.toMatch(/@acme|#12|https:\/\//);
    expect(text).not.toMatch(/^\s*\//m);
  }
});

it('warns first of what others added to the branch', () => {
  const problems = [
    {
      severity: 'warning' as const,
      code: 'approval-branch' as const,
      file: '(branch) gitfleet/approve/removal-1',
      message: 'this branch contains files evil.yaml',
    },
  ];
  const page = removalPage({ name: 'removal-1', removalDigest: 'sha256:1', messages: ['all'] }, { problems });
  const { body } = approvalMarkdown(page, 65_536);
  expect(body.indexOf('evil.yaml')).toBeGreaterThan(0);
  expect(body.indexOf('evil.yaml')).toBeLessThan(body.indexOf('Why they need approval'));
});

it('names what waits with a refused removal, which runs may remove it, and what it covers beside what is there', () => {
  const change = { action: 'remove' as const, placement: 'web', objects: ['v1/ConfigMap web/x'] };
  const count = { objects: 1, clusters: 1 };
  const asked = {
    ...{ name: 'removal-1', removalDigest: 'sha256:1', messages: ['all'], commit: '0123456789abcdef', removed: count },
    changes: [
      { ...change, clusters: ['a'], count },
      { ...change, clusters: ['b'], count, isAbsent: true as const },
    ],
  };
  const runOf = (name: string, placementName: string, status = {}) =>
    ({ kind: 'ClusterStagedUpdateRun', metadata: { name }, spec: { placementName }, status }) as StagedUpdateRun;
  const over = { conditions: [{ type: 'Succeeded', status: 'True' as const, reason: '' }] };
  const begun = [
    { type: 'Initialized', status: 'True' as const, reason: '' },
    { type: 'Progressing', status: 'True' as const, reason: 'UpdateRunWaiting' },
  ];
  const active = { conditions: begun };
  const runs = [
    runOf('web-1', 'web', over),
    runOf('web-2', 'web', active),
    runOf('web-3', 'web'),
    runOf('other-1', 'other', active),
  ];
  const answered = [{ approval: 'web-2-after-dev', answer: 'rejected' as const }];
  const { title, lead, instructions, sections } = removalPage(asked, { problems: [], runs, answered });
  expect(title).toBe('Approve removals: 1 object from 1 cluster');
  expect(lead.slice(1)).toEqual([
    'The plan of commit 0123456789ab is refused as a whole: before that nothing continues, and no answer to another request counts. All else that it does happens with the approval: `gitfleet plan` shows it.',
    'These answers count then: web-2-after-dev (rejected).',
  ]);
  expect(instructions).toContain(
    'To reject, revert the commit that removes them; or, where update run web-2 removes them, suspend it (`gitfleet suspend run NAME`) or revert the answer that started it.',
  );
  expect(JSON.stringify(sections)).toContain(
    'web: not removed now, and covered as long as the rollout lasts: 1 object on 1 cluster (b): ConfigMap web/x',
  );
});
