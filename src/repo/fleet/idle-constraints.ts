import type { Problem } from '../../api/problem.ts';
import { nearest } from '../../api/syntax.ts';
import type { Fleet } from '../../engine/input.ts';
import { memberNameLabel } from '../../engine/placement/members.ts';
import { fieldWarning } from './field-warning.ts';

/** Warnings about topology spread constraints over a label that no cluster of the repo has. None where a cluster cannot be read. */
export function idleConstraints(fleet: Fleet): Problem[] {
  const { members, placements, unreadable, refused } = fleet;
  if (members.length === 0 || unreadable.length > 0 || refused.some(({ kind }) => kind === 'MemberCluster')) return [];
  const keys = new Set([memberNameLabel, ...members.flatMap(({ metadata }) => Object.keys(metadata.labels ?? {}))]);
  return placements.flatMap(({ kind, metadata, spec }) =>
    (spec.policy.topologySpreadConstraints ?? []).flatMap(({ topologyKey }, at) => {
      if (keys.has(topologyKey)) return [];
      const like = nearest(topologyKey, [...keys]);
      return fieldWarning(
        fleet,
        { kind, ...metadata },
        {
          code: 'idle-selector',
          path: `spec.policy.topologySpreadConstraints.${at}.topologyKey`,
          why: `no cluster of this repo has the label ${topologyKey}`,
          fix: like && `did you mean ${like}?`,
        },
      );
    }),
  );
}
