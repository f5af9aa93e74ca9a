import { parseAllDocuments } from 'yaml';
import { isManifest, type Manifest } from '../../api/meta.ts';
import { contentsOf } from '../yaml/items-of.ts';

/** Manifests of a snapshot file, one for each document or item of a List; undefined when one of them is no object of Kubernetes. */
export function manifestsIn(text: string): readonly Manifest[] | undefined {
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
