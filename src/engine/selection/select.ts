import type { Manifest } from '../../api/meta.ts';
import { type Placement, type ResourceSelector, refOf } from '../../api/placement.ts';
import type { Selection } from '../placement-work.ts';
import { recordFileLimits } from '../record/file-limits.ts';
import { hashOfContents, jsonTextOf } from './content-hash.ts';
import { gather } from './gather.ts';
import { identifierOf } from './group-version.ts';
import type { HubIndex } from './hub.ts';
import { contentOf } from './normalise.ts';
import { describeRef } from './object-key.ts';
import { inSnapshotOrder } from './order.ts';

/**
 * The resources of the repo that a placement selects. A user error (KubeFleet: Scheduled=False/InvalidResourceSelectors)
 * is a value; then no snapshot is taken and clusters keep what they have. The same selectors with the same contents as before
 * return the same value, so that results can be memoized by it.
 */
export function selectResources(request: {
  readonly placement: Placement;
  readonly hub: HubIndex;
  readonly digest: (text: string) => string;
}): Selection {
  const { placement, hub, digest } = request;
  const gathered = gather(placement, hub);
  if (!gathered.ok) {
    const { message, selector } = gathered;
    return { ok: false, message: `invalid ${describeRef(refOf(placement))}: ${message}`, selector };
  }

  const manifests = inSnapshotOrder(gathered.objects.map(contentOf));
  const before = selections.get(placement.spec.resourceSelectors);
  if (before && sameElements(before.manifests, manifests)) return before;
  const characters = manifests.reduce((sum, manifest) => sum + jsonTextOf(manifest).length, 0);
  if (characters > recordFileLimits.selectedCharacters)
    return { ok: false, message: `invalid ${describeRef(refOf(placement))}: ${tooMuch(manifests.length, characters)}` };
  const selection: Selected = {
    ok: true,
    manifests,
    hash: hashOfContents(manifests, digest),
    identifiers: manifests.map(identifierOf),
  };
  selections.set(placement.spec.resourceSelectors, selection);
  return selection;
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`;

const tooMuch = (objects: number, characters: number): string =>
  `it selects ${objects} objects with ${mebibytes(characters)}, of at most ${mebibytes(recordFileLimits.selectedCharacters)}: divide them among several placements`;

type Selected = Extract<Selection, { readonly ok: true }>;

const selections = new WeakMap<readonly ResourceSelector[], Selected>();

const sameElements = (a: readonly Manifest[], b: readonly Manifest[]): boolean =>
  a.length === b.length && a.every((manifest, at) => manifest === b[at]);
