import type { ClusterName } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import { sourceKey } from '../input.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Instant } from '../kernel/instant.ts';
import { poolLints } from '../node-pools/lints.ts';
import type { Pool } from '../node-pools/pool.ts';
import { sourceOf } from '../problem-of.ts';
import type { World } from '../world.ts';
import { actingProblem } from './acting-mode.ts';
import { marketsOf } from './launch/market.ts';
import type { NodeMember } from './node-members.ts';
import { poolTransitions } from './pool-transitions.ts';
import { subnetMoves } from './subnet-moves.ts';

/** Lints of pools, each once, changes that clusters refuse, and contradictory lists. */
export function nodeProblems(members: readonly NodeMember[], world: World, now: Instant): Problem[] {
  const { fleet } = world.input;
  // Most members have the same pools.
  const known = new Map<string, readonly Problem[]>();
  function lintsOf(pool: Pool, isDelegated: boolean): readonly Problem[] {
    const key = `${isDelegated} ${canonicalJson(pool.manifest)}`;
    const lints = known.get(key) ?? poolLints(pool, { now, isDelegated });
    known.set(key, lints);
    return lints;
  }
  const found = members.flatMap(({ name, pools, ownPools, livePools, classes, mode, annotations }) => [
    ...actingProblem({ name, annotations }, world),
    ...[...pools.values()].flatMap((pool) =>
      lintsOf(pool, mode === 'delegate').map((lint) => ({
        ...lint,
        ...sourceOf(fleet, { kind: 'NodePool', name: pool.name }),
      })),
    ),
    ...subnetMoves({ name, classes }, world),
    ...poolTransitions({ ownPools, livePools }, world),
    ...contradictions(name, world),
  ]);
  return [...new Map(found.map((problem) => [canonicalJson(problem), problem])).values()];
}

function contradictions(cluster: ClusterName, { members, input: { fleet } }: World): Problem[] {
  const { contradictions: found } = marketsOf(fleet)(members.get(cluster)!.labels);
  return found.map(({ kind, first, second, message }): Problem => {
    const source = fleet.sources?.get(sourceKey(kind, { name: second.name }));
    const other = fleet.sources?.get(sourceKey(kind, { name: first.name }));
    return {
      severity: 'error',
      code: 'duplicate',
      ...(source ?? {}),
      path: second.path,
      message: `${message}${other ? ` (also ${other.file}:${other.line})` : ''}`,
      fix: 'keep one of them, or give the lists selectors without a common cluster',
    };
  });
}
