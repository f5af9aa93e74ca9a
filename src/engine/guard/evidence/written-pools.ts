import type { ClusterName, Manifest } from '../../../api/meta.ts';

/** NodePools as they are written, by cluster: those that placements deliver, and those of invalid files. */
export interface WrittenPools {
  readonly delivered: ReadonlyMap<ClusterName, readonly Manifest[]>;
  readonly invalid: ReadonlyMap<ClusterName, readonly Manifest[]>;
}
