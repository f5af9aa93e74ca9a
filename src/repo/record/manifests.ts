import { isManifest } from '../../api/is-manifest.ts';
import type { Manifest } from '../../api/meta.ts';
import type { RecordDocument } from '../../engine/plan-document.ts';
import { contentsOf } from '../yaml/items-of.ts';
import { type ReadDocument, readBoundedDocuments } from '../yaml/read-bounded.ts';
import { type Fault, type FileRead, faultOfNotRead, placedFault } from './read-file.ts';
import { roundCache } from './round-cache.ts';
import { sharing } from './sharing.ts';
import { identityOf, type StatusText, unpacked } from './status-text.ts';
import { writtenIn } from './write.ts';

/** By text, so that an unchanged snapshot keeps its identity and is not parsed again. */
const lists = roundCache<FileRead<readonly Manifest[]>>();

/**
 * The manifests of a snapshot file, or its faults if a document or List item is not a Kubernetes object. If the document that it
 * was rendered from is known, nothing is parsed.
 */
export const manifestsIn = (text: StatusText, written: RecordDocument | undefined): FileRead<readonly Manifest[]> =>
  lists.get(identityOf(text), () => {
    const known = writtenIn(text, written);
    return known && written
      ? { value: sharing(known.value as readonly Manifest[], written.value) }
      : parsed(unpacked(text));
  });

/** All snapshots of a status branch were read: drops the others from the cache. */
export const allSnapshotsRead = (): void => lists.endRound();

function parsed(text: string): FileRead<readonly Manifest[]> {
  const notRead = faultOfNotRead(text);
  if (notRead) return { faults: [notRead] };
  const value: Manifest[] = [];
  for (const read of readBoundedDocuments(text)) {
    if ('fault' in read) return { faults: [placedFault(read.fault, text)] };
    for (const content of contentsOf(read.value.value))
      if (isManifest(content)) value.push(content);
      else return { faults: [noManifest(read.value, text)] };
  }
  return { value };
}

const noManifest = ({ offset }: ReadDocument, text: string): Fault => {
  const message = 'it contains something other than objects with apiVersion, kind and metadata.name';
  return placedFault({ offset, message }, text);
};
