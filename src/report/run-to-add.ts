import type { NotRolledOut } from '../engine/staged/not-rolled-out.ts';

/**
 * What to write so that placements get the staged update run that they need, as a clause; undefined where none would start. The
 * object is YAML in one line, a file as it stands once the words in capitals are replaced.
 */
export function runToAdd(missing: readonly Pick<NotRolledOut, 'placement' | 'cannotStart'>[]): string | undefined {
  const [first, ...others] = missing.flatMap(({ placement, cannotStart }) => (cannotStart ? [] : [placement]));
  if (first === undefined) return undefined;
  const { kind, name, namespace } = first;
  const run = kind === 'ClusterResourcePlacement' ? 'ClusterStagedUpdateRun' : 'StagedUpdateRun';
  const metadata = namespace === undefined ? '{name: NEW-NAME}' : `{name: NEW-NAME, namespace: ${namespace}}`;
  const spec = `{placementName: ${name}, stagedRolloutStrategyName: STRATEGY}`;
  const such = others.length > 0 ? `for each of them a file such as, for ${name},` : 'a file with';
  return `to start a run, add ${such} {apiVersion: placement.kubernetes-fleet.io/v1, kind: ${run}, metadata: ${metadata}, spec: ${spec}}`;
}
