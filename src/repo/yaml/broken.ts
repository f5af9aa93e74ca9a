import { type Document, isMap, isSeq } from 'yaml';
import type { ObjectRef } from '../../api/meta.ts';
import { guessObjects } from './guess.ts';

/** What can be told about the part of a file that is not in `documents`. */
export interface Broken {
  /** False when a document is no YAML at all: its contents are guessed. */
  readonly wellFormed: boolean;
  /** Objects that the refused documents hold; undefined when they do not tell. */
  readonly refs?: readonly ObjectRef[];
  /** The text names an API group of ours. */
  readonly mentionsFleet: boolean;
  /** Nobody has looked into it. */
  readonly tooLarge?: boolean;
}

/** Of a file that is not read at all: what it seems to hold. */
export const allBroken = (text: string): Broken => brokenBy(text, { wellFormed: false, refs: guessObjects(text) });

/** Of refused documents, undefined where nobody could read one; `values` are those of the sound documents beside them. */
export function brokenPart(
  text: string,
  of: { readonly refused: readonly (Document.Parsed | undefined)[]; readonly values: readonly unknown[] },
): Broken {
  const { refused, values } = of;
  const wellFormed = refused.every((document) => document !== undefined);
  return brokenBy(text, { wellFormed, refs: wellFormed ? refsOf(refused) : without(guessObjects(text), values) });
}

const brokenBy = (
  text: string,
  { wellFormed, refs }: { readonly wellFormed: boolean; readonly refs: readonly ObjectRef[] | undefined },
): Broken => ({
  wellFormed,
  ...(refs === undefined ? {} : { refs }),
  mentionsFleet:
    /apiVersion["']?\s*:\s*["']?(placement\.kubernetes-fleet\.io|cluster\.kubernetes-fleet\.io|gitfleet\.dev)\//.test(
      text,
    ),
});

function refsOf(documents: readonly (Document.Parsed | undefined)[]): ObjectRef[] | undefined {
  const refs: ObjectRef[] = [];
  for (const object of documents.flatMap((document) => objectsIn(document?.contents))) {
    if (!isMap(object)) continue;
    const field = (...path: string[]): string | undefined => {
      const value = object.getIn(path);
      return typeof value === 'string' ? value : undefined;
    };
    const [apiVersion, kind, name] = [field('apiVersion'), field('kind'), field('metadata', 'name')];
    const namespace = field('metadata', 'namespace');
    if (apiVersion === undefined && kind === undefined) continue;
    if (apiVersion === undefined || kind === undefined || name === undefined) return undefined;
    refs.push({ apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name });
  }
  return refs;
}

/** Of a list, which no document should be, each item. */
const objectsIn = (contents: unknown): readonly unknown[] => (isSeq(contents) ? contents.items : [contents]);

/** Guessed objects that were not read from a sound document of the same file. */
function without(refs: readonly ObjectRef[] | undefined, values: readonly unknown[]): readonly ObjectRef[] | undefined {
  const read = new Set(
    values.map((value) => {
      const { kind, metadata } = value as { kind?: unknown; metadata?: { namespace?: unknown; name?: unknown } | null };
      return JSON.stringify([kind, metadata?.namespace, metadata?.name]);
    }),
  );
  return refs?.filter(({ kind, namespace, name }) => !read.has(JSON.stringify([kind, namespace, name])));
}
