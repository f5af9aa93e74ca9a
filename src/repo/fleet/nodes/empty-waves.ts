import type { Problem } from '../../../api/problem.ts';
import type { Fleet } from '../../../engine/input.ts';
import { matchesSelector } from '../../../engine/kernel/selector.ts';
import { labelsOf } from '../../../engine/placement/members.ts';
import { fieldWarning } from '../field-warning.ts';

/** Warnings about waves of `nodeDisruption` whose clusters are all in earlier waves; none if an invalid file may define another cluster. */
export function emptyWaves(fleet: Fleet): Problem[] {
  const { config, unreadable, refused } = fleet;
  if (unreadable.length > 0 || refused.some(({ kind }) => kind === 'MemberCluster')) return [];
  const waves = config?.spec.nodeDisruption?.waves ?? [];
  let rest = fleet.members.map(labelsOf);
  return waves.flatMap((wave, at) => {
    const before = rest;
    rest = rest.filter((labels) => !matchesSelector(wave, labels));
    if (rest.length < before.length || !fleet.members.some((member) => matchesSelector(wave, labelsOf(member))))
      return [];
    const why = 'no cluster is in this wave: all that it selects are in earlier ones';
    const fix = 'put it first, narrow the earlier ones, or remove it';
    const of = { kind: 'FleetConfig', name: config?.metadata?.name ?? 'fleet' };
    return [fieldWarning(fleet, of, { code: 'no-use', path: `spec.nodeDisruption.waves.${at}`, why, fix })];
  });
}
