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

/** By text: a snapshot that did not change keeps its identity from pass to pass, and costs nothing. */
const lists = roundCache<FileRead<readonly Manifest[]>>();

/**
 * Manifests of a snapshot file, one for each document or item of a List, or where one of them is no object of Kubernetes.
 * What it was rendered from, where that is known, need not be parsed.
 */
export const manifestsIn = (text: string, written: RecordDocument | undefined): FileRead<readonly Manifest[]> =>
  lists.get(text, () => {
    const known = writtenIn(text, written);
    return known ? { value: known.value as readonly Manifest[] } : parsed(text);
  });

/** All snapshots of a status branch have been read: those that were not among them are forgotten. */
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
      // Aliases that lead nowhere, or grow beyond all bounds.
      if (thrown instanceof ReferenceError) return { faults: [unparsed(thrown, text)] };
      throw thrown;
    }
  }
  return { value };
}

const noManifest = ({ contents }: Document.Parsed, text: string): Fault => {
  const message = 'it holds something other than objects with apiVersion, kind and metadata.name';
  return placedFault({ offset: contents?.range[0] ?? 0, message }, text);
};
