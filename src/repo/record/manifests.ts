import { parseAllDocuments } from 'yaml';
import { isManifest, type Manifest } from '../../api/meta.ts';
import type { RecordDocument } from '../../engine/plan-document.ts';
import { contentsOf } from '../yaml/items-of.ts';
import { lately } from './lately.ts';
import { writtenIn } from './write.ts';

/** By text: a snapshot that did not change keeps its identity from pass to pass, and costs nothing. */
const lists = lately<readonly Manifest[] | undefined>();

/**
 * Manifests of a snapshot file, one for each document or item of a List; undefined when one of them is no object of Kubernetes.
 * What it was rendered from, where that is known, need not be parsed.
 */
export const manifestsIn = (text: string, written: RecordDocument | undefined): readonly Manifest[] | undefined =>
  lists.recall(text, () => {
    const known = writtenIn(text, written);
    return known ? (known.value as readonly Manifest[]) : parsed(text);
  });

/** All snapshots of a status branch have been read: those that were not among them are forgotten. */
export const allSnapshotsRead = (): void => lists.turn();

function parsed(text: string): readonly Manifest[] | undefined {
  const documents = parseAllDocuments(text, { logLevel: 'error', merge: true });
  if (!Array.isArray(documents)) return [];
  if (documents.some(({ errors }) => errors.length > 0)) return undefined;
  try {
    const values = documents.flatMap((document) => contentsOf(document.toJS({ maxAliasCount: 10_000 })));
    return values.every(isManifest) ? values : undefined;
  } catch (error) {
    // Aliases that lead nowhere, or grow beyond all bounds.
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}
