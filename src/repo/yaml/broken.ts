import { type Document, isMap, isSeq } from 'yaml';
import type { ObjectRef } from '../../api/meta.ts';
import { guessObjects } from './guess.ts';

/** What is known about the part of a file that is not in `documents`. */
export interface Broken {
  /** False when a document is not YAML, so that its contents are guessed. */
  readonly wellFormed: boolean;
  /** Objects in the refused documents; undefined if they cannot be identified. */
  readonly refs?: readonly ObjectRef[];
  /** The text names an API group of ours. */
  readonly mentionsFleet: boolean;
  /** The file was not parsed. */
  readonly tooLarge?: boolean;
}

/** For a file that is not parsed: its guessed contents. */
export const allBroken = (text: string): Broken => brokenBy(text, { wellFormed: false, refs: guessObjects(text) });

/** For refused documents, undefined where one could not be parsed. `values`: the other documents of the file. */
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

/** The items of a list, although a document must not be one. */
const objectsIn = (contents: unknown): readonly unknown[] => (isSeq(contents) ? contents.items : [contents]);

/** Guessed objects, without those of valid documents of the same file. */
function without(refs: readonly ObjectRef[] | undefined, values: readonly unknown[]): readonly ObjectRef[] | undefined {
  const read = new Set(
    values.map((value) => {
      const { kind, metadata } = value as { kind?: unknown; metadata?: { namespace?: unknown; name?: unknown } | null };
      return JSON.stringify([kind, metadata?.namespace, metadata?.name]);
    }),
  );
  return refs?.filter(({ kind, namespace, name }) => !read.has(JSON.stringify([kind, namespace, name])));
}
