import { validateFleetObject } from '../../../src/api/validate.ts';

/*
 * Every rule by which KubeFleet's schema, CEL or webhook refuses a placement, a member or an override, in both versions: what
 * stands in the spec, and the finding it gives as `severity code path`.
 */

export type Fields = Readonly<Record<string, unknown>>;

export const selector = { group: '', version: 'v1', kind: 'Namespace', name: 'web' };
export const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
/** `severity code path`, issue by issue. */
export const findings = (document: unknown): string[] =>
  validateFleetObject(document).issues.map(({ severity, code, path }) => `${severity} ${code} ${path.join('.')}`);

/** Makes placements that only lack what a row is about. */
export const placementIn =
  (version: string) =>
  (spec: Fields, kind = 'ClusterResourcePlacement') => ({
    apiVersion: `placement.kubernetes-fleet.io/${version}`,
    kind,
    metadata: { name: 'web', ...(kind === 'ResourcePlacement' && { namespace: 'shop' }) },
    spec: { resourceSelectors: [selector], ...spec },
  });

export const errors = (document: unknown): string[] => findings(document).filter((text) => text.startsWith('error'));
