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
  const { repository, baseURL } = forge ?? {};
  return [
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
