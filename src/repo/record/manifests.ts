import type { Document } from 'yaml';
import { isManifest } from '../../api/is-manifest.ts';
import type { Manifest } from '../../api/meta.ts';
import type { RecordDocument } from '../../engine/plan-document.ts';
import { documentsOf } from '../yaml/documents-of.ts';
import { contentsOf } from '../yaml/items-of.ts';
import { structureFault } from '../yaml/structure-fault.ts';
import { type Fault, type FileRead, faultOfNotRead, placedFault, unparsed } from './read-file.ts';
import { roundCache } from './round-cache.ts';
import { writtenIn } from './write.ts';

/** By text, so that an unchanged snapshot keeps its identity and is not parsed again. */
const lists = roundCache<FileRead<readonly Manifest[]>>();

/**
 * The manifests of a snapshot file, or its faults if a document or List item is not a Kubernetes object. If the document that it
 * was rendered from is known, nothing is parsed.
 */
export const manifestsIn = (text: string, written: RecordDocument | undefined): FileRead<readonly Manifest[]> =>
  lists.get(text, () => {
    const known = writtenIn(text, written);
    return known ? { value: known.value as readonly Manifest[] } : parsed(text);
  });

/** All snapshots of a status branch were read: drops the others from the cache. */
export const allSnapshotsRead = (): void => lists.endRound();

function parsed(text: string): FileRead<readonly Manifest[]> {
  const notRead = faultOfNotRead(text);
  if (notRead) return { faults: [notRead] };
  const documents = documentsOf(text, { logLevel: 'error' });
  if (documents instanceof RangeError) return { faults: [unparsed(documents, text)] };
  const value: Manifest[] = [];
  for (const document of documents) {
    const [error] = document.errors;
    if (error) return { faults: [unparsed(error, text)] };
    const fault = structureFault(document, text);
    if (fault) return { faults: [placedFault(fault, text)] };
    try {
      for (const content of contentsOf(document.toJS({ maxAliasCount: 10_000 })))
        if (isManifest(content)) value.push(content);
        else return { faults: [noManifest(document, text)] };
    } catch (thrown) {
      // Undefined aliases, or too large ones.
      if (thrown instanceof ReferenceError) return { faults: [unparsed(thrown, text)] };
      throw thrown;
    }
  }
  return { value };
}

const noManifest = ({ contents }: Document.Parsed, text: string): Fault => {
  const message = 'it contains something other than objects with apiVersion, kind and metadata.name';
  return placedFault({ offset: contents?.range[0] ?? 0, message }, text);
};
