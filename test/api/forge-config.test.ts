import { expect, it } from 'vitest';
import { fleetConfig } from '../../src/api/gitfleet.ts';
import { configIssues } from '../../src/api/rules/config-rules.ts';

const issuesOf = (forge: object) => {
  const config = fleetConfig.parse({ apiVersion: 'gitfleet.dev/v1alpha1', kind: 'FleetConfig', spec: { forge } });
  return configIssues(config).map(({ path }) => path.join('.'));
};

it.each([
  { repository: 'acme/fleet' },
  { kind: 'gitlab', repository: 'acme/platform/fleet', baseURL: 'https://git.example.com/gitlab/' },
  { kind: 'github', baseURL: 'https://github.example.com/api/v3' },
  { kind: 'gitea', baseURL: 'http://127.0.0.1:3000', previewForks: true },
  { labels: ['fleet', 'approval wanted'], reviewers: ['ann', 'acme/fleet-approvers'] },
])('forge %j is valid', (forge) => {
  expect(issuesOf(forge)).toEqual([]);
});

it.each([
  [{ labels: ['a,b'] }, 'spec.forge.labels.0'],
  [{ labels: ['fleet', ' '] }, 'spec.forge.labels.1'],
  [{ reviewers: ['@ann'] }, 'spec.forge.reviewers.0'],
  [{ kind: 'gitlab', reviewers: ['acme/approvers'] }, 'spec.forge.reviewers.0'],
  [{ repository: 'fleet' }, 'spec.forge.repository'],
  [{ repository: 'https://github.com/acme/fleet' }, 'spec.forge.repository'],
  [{ baseURL: 'git.example.com' }, 'spec.forge.baseURL'],
  [{ baseURL: 'https://user:secret@git.example.com' }, 'spec.forge.baseURL'],
  [{ baseURL: 'https://git.example.com/?token=1' }, 'spec.forge.baseURL'],
  [{ baseURL: 'file:///etc/passwd' }, 'spec.forge.baseURL'],
])('forge %j is refused', (forge, path) => {
  expect(issuesOf(forge)).toEqual([path]);
});
