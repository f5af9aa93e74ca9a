import type { PatchDetail, ResourceIdentifier } from '../../../api/placement.ts';
import { shortList } from '../../kernel/short-list.ts';
import { describeRef } from '../../selection/object-key.ts';
import { isWhole } from './patch-details.ts';
import { isRepaired } from './reported-repairs.ts';

/** `Deployment web/web (/spec/replicas by kubectl)`: an object, the paths that differ, and the field managers that changed them. */
export function reportedDifferences(object: ResourceIdentifier, details: readonly PatchDetail[]): string {
  if (details.length === 0) return describeRef(object);
  const managers = new Set(details.flatMap(({ manager }) => manager ?? []));
  const paths = shortList(details.map((detail) => (isWhole(detail) ? 'missing' : detail.path)));
  const by = managers.size === 0 ? '' : ` by ${shortList([...managers])}`;
  const now = details.every(isRepaired) ? ', repaired' : '';
  return `${describeRef(object)} (${paths}${by}${now})`;
}
