import type { MirroredStatus } from '../../api/mirrored-status.ts';
import type { PlacementStatus, StatusInNamespace } from '../../api/placement.ts';
import type { PlacementState } from '../../api/placement-state.ts';
import type { EntryFile } from '../domain.ts';
import type { PlacementWork } from '../placement-work.ts';
import { directoryOf, objectDocument } from '../record/documents.ts';
import { canonicalState } from './canonical-state.ts';

/** Below `placements/<[ns.]name>/`: status, state and the resources of every recorded snapshot. */
export function placementDocuments(
  work: PlacementWork,
  { status, inNamespace }: { readonly status: PlacementStatus; readonly inNamespace: StatusInNamespace | undefined },
): EntryFile[] {
  const { placement } = work;
  const {
    creationTimestamp: _c,
    resourceVersion: _r,
    uid: _u,
    managedFields: _m,
    ...metadata
  } = placement.metadata as Record<string, unknown>;
  const state: PlacementState = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'PlacementState',
    metadata: {
      name: placement.metadata.name,
      ...(placement.kind === 'ResourcePlacement' ? { namespace: placement.metadata.namespace } : {}),
    },
    policySnapshots: [...work.policySnapshots],
    resourceSnapshots: [...work.resourceSnapshots],
    bindings: work.bindings.map(({ binding }) => binding),
  };
  const { status: _, ...rest } = placement;
  // Of a placement whose file is gone the record may hold state without status: then its spec is unknown.
  const isKnown = placement.spec.resourceSelectors.length > 0;
  return [
    ...(isKnown ? [['status.yaml', objectDocument({ ...rest, metadata, status })] satisfies EntryFile] : []),
    ['state.yaml', objectDocument(canonicalState(state))],
    ...(inNamespace ? [['namespace-status.yaml', objectDocument(inNamespace)] satisfies EntryFile] : []),
    // An index with unknown contents (a state written by hand) must not come back as one that held nothing.
    ...work.resourceSnapshots.flatMap(({ index }): EntryFile[] => {
      const value = work.contents.get(index);
      return value ? [[`snapshots/${index}.yaml`, { kind: 'manifests', value }]] : [];
    }),
  ];
}

/** Below `placements/<[ns.]name>/`: `mirrored/<cluster>.yaml`. */
export const mirroredDocuments = (mirrored: readonly MirroredStatus[], digest: (text: string) => string): EntryFile[] =>
  directoryOf(
    'mirrored',
    mirrored.map((value) => ({ name: value.clusterName, document: objectDocument(value) })),
    digest,
  );
