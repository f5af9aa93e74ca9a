import type { FleetObject } from '../../api/kinds.ts';
import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { type Placement, placementKey, refOf } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import { emptyFleet, type Fleet, type HubObject } from '../../engine/input.ts';
import { by } from '../../engine/kernel/ordering.ts';
import { kindsByField } from './kinds/rows.ts';

/** Sorts loaded objects into the lists of a Fleet, each by namespace and name, so that the order of files has no effect. */
export function sortFleet(read: {
  readonly objects: readonly FleetObject[];
  readonly beingDeleted: readonly Placement[];
  readonly resources: readonly HubObject[];
  readonly invalidPools: readonly Manifest[];
  readonly refused: readonly ObjectRef[];
  readonly whyRefused: Fleet['whyRefused'];
  readonly unreadable: readonly string[];
  readonly problems: readonly Problem[];
  readonly notActedOn: readonly ObjectRef[];
  readonly sources: NonNullable<Fleet['sources']>;
  readonly withoutStrategy: Fleet['withoutStrategy'];
  readonly noApprovalCounts: boolean;
}): Fleet {
  return {
    ...emptyFleet,
    ...fieldsOf(read.objects),
    beingDeleted: [...read.beingDeleted].sort(by((placement) => placementKey(refOf(placement)))),
    withoutStrategy: read.withoutStrategy,
    noApprovalCounts: read.noApprovalCounts,
    resources: [...read.resources].sort(
      by(
        ({ manifest: { apiVersion, kind, metadata } }) =>
          `${apiVersion}\0${kind}\0${metadata.namespace ?? ''}\0${metadata.name}`,
      ),
    ),
    invalidPools: [...read.invalidPools].sort(by(({ metadata }) => metadata.name)),
    notActedOn: [...read.notActedOn].sort(by(textOf)),
    refused: [...new Map(read.refused.map((ref) => [textOf(ref), ref])).values()].sort(by(textOf)),
    whyRefused: read.whyRefused,
    unreadable: [...new Set(read.unreadable)].sort(),
    problems: read.problems,
    sources: read.sources,
  };
}

/** Fields of a Fleet according to the rows of the kinds, whose types ensure that a field fits its kind. */
function fieldsOf(objects: readonly FleetObject[]): Partial<Fleet> {
  const ofKind = Map.groupBy(objects, ({ kind }) => kind);
  return Object.fromEntries(
    [...kindsByField].flatMap(([field, kinds]) => {
      if (field === 'none') return [];
      const found = kinds
        .flatMap((kind) => ofKind.get(kind) ?? [])
        .sort(by(({ kind, metadata }) => `${metadata?.namespace ?? ''}\0${metadata?.name ?? ''}\0${kind}`));
      return [[field, field === 'config' ? found[0] : found]];
    }),
  );
}

const textOf = ({ apiVersion, kind, namespace, name }: ObjectRef): string =>
  `${apiVersion}\0${kind}\0${namespace ?? ''}\0${name}`;
