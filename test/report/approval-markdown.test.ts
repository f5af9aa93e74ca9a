import { expect, it } from 'vitest';
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
