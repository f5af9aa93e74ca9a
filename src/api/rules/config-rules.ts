import type { FleetConfig } from '../gitfleet.ts';
import { error, type Issue } from '../issue.ts';
import { isIntOrPercent } from '../syntax.ts';
import { nodeDisruptionIssues } from './node-rules.ts';

/** Guard limits must be numbers, or they would limit nothing. The approvals folder must be one that CODEOWNERS can list. */
export function configIssues({ spec }: FleetConfig): Issue[] {
  return [
    ...guardIssues(spec),
    ...approvalIssues(spec),
    ...forgeIssues(spec),
    ...(spec.nodeDisruption ? nodeDisruptionIssues(spec.nodeDisruption) : []),
  ];
}

function approvalIssues({ approvals }: FleetConfig['spec']): Issue[] {
  const parts = approvals?.path.replace(/\/$/, '').split('/') ?? [];
  if (parts.every((part) => part !== '' && !part.startsWith('.') && !part.includes('\\'))) return [];
  const message = `"${approvals?.path}" is not a folder of the repo whose files are read`;
  return [error('invalid-value', ['spec', 'approvals', 'path'], message, 'write for example approvals/')];
}

function forgeIssues({ forge }: FleetConfig['spec']): Issue[] {
  const { kind, repository, baseURL, labels = [], reviewers = [] } = forge ?? {};
  const isReviewer = (name: string): boolean => (kind === 'gitlab' ? /^[\w.-]+$/ : /^[\w.-]+(\/[\w.-]+)?$/).test(name);
  return [
    ...labels.flatMap((label, at) =>
      label.trim() !== '' && label.length <= 50 && !/[,\p{Cc}]/u.test(label)
        ? []
        : [
            error(
              'invalid-value',
              ['spec', 'forge', 'labels', at],
              `"${label}" is not a label: empty, with a comma, or longer than 50 characters`,
              'write for example fleet-approval',
            ),
          ],
    ),
    ...reviewers.flatMap((name, at) =>
      isReviewer(name)
        ? []
        : [
            error(
              'invalid-value',
              ['spec', 'forge', 'reviewers', at],
              `"${name}" is not the name of a user${kind === 'gitlab' ? '; GitLab has no teams' : ' or of a team'}`,
              kind === 'gitlab' ? 'write for example ann' : 'write for example ann or acme/fleet-approvers',
            ),
          ],
    ),
    ...(repository === undefined || /^[\w.-]+(\/[\w.-]+)+$/.test(repository)
      ? []
      : [
          error(
            'invalid-value',
            ['spec', 'forge', 'repository'],
            `"${repository}" is not a repository of a forge`,
            'write for example acme/fleet',
          ),
        ]),
    ...(baseURL === undefined || /^https?:\/\/[\w.-]+(:\d{1,5})?(\/[\w.~-]+)*\/?$/.test(baseURL)
      ? []
      : [
          error(
            'invalid-value',
            ['spec', 'forge', 'baseURL'],
            `"${baseURL}" is not the URL of a server, or contains more than that`,
            'write for example https://git.example.com',
          ),
        ]),
  ];
}

function guardIssues(spec: FleetConfig['spec']): Issue[] {
  return (['maxClusters', 'maxObjectsPerCluster', 'maxLeaving'] as const).flatMap((field) => {
    const value = spec.guard?.[field];
    if (value === undefined || isIntOrPercent(String(value))) return [];
    const message = `"${value}" is neither a number of 0 or more nor a percentage`;
    return [error('invalid-int-or-percent', ['spec', 'guard', field], message, 'write for example 10 or 10%')];
  });
}
