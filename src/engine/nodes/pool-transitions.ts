import type { Problem } from '../../api/problem.ts';
import { refusedChanges } from '../node-pools/refused-changes.ts';
import type { World } from '../world.ts';
import { fileOf, withWritten } from './former.ts';
import type { NodeMember } from './node-members.ts';

/** NodePools that differ from those of their cluster in what it does not let change. */
export const poolTransitions = (
  { ownPools, livePools }: Pick<NodeMember, 'ownPools' | 'livePools'>,
  world: World,
): Problem[] =>
  withWritten(ownPools, world).flatMap((manifest): readonly Problem[] => {
    const live = livePools.get(manifest.metadata.name);
    return live ? refusedChanges(live, manifest, fileOf(manifest, world)) : [];
  });
