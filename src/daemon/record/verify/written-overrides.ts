import type { OverrideSnapshot } from '../../../api/override.ts';
import type { Fleet } from '../../../engine/input.ts';
import { sameValue } from '../../../engine/kernel/same-value.ts';

/** Whether a fleet has the override of a snapshot, in the version that the snapshot holds. */
export const hasOverride = ({ overrides }: Fleet, snapshot: OverrideSnapshot): boolean =>
  overrides.some(
    ({ kind, metadata: { name, namespace }, spec }) =>
      `${kind}Snapshot` === snapshot.kind &&
      snapshot.metadata.name === `${name}-${snapshot.index}` &&
      snapshot.metadata.namespace === namespace &&
      sameValue(spec, snapshot.overrideSpec),
  );
