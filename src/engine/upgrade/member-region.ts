import type { ObservedVersions } from '../../api/observed-versions.ts';
import type { Labels } from '../kernel/selector.ts';

/** The region of a member, for catalogs: as it is labelled, otherwise as it was observed. */
export const regionOf = (labels: Labels, versions: ObservedVersions | undefined): string | undefined =>
  labels['topology.kubernetes.io/region'] ?? labels['fleet.azure.com/location'] ?? versions?.region;
