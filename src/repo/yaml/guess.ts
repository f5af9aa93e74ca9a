import type { ObjectRef } from '../../api/meta.ts';

/**
 * The objects that a broken text seems to contain, found line by line, so that a broken file holds only its own objects. Undefined
 * if some document does not identify itself exactly once.
 */
export function guessObjects(text: string): ObjectRef[] | undefined {
  const refs: ObjectRef[] = [];
  for (const lines of documentsOf(text)) {
    const ref = guessObject(lines);
    if (!ref) return undefined;
    refs.push(ref);
  }
  return refs;
}

/** Lines of every document that is not empty, without comments and blank lines. */
function documentsOf(text: string): string[][] {
  const documents: string[][] = [[]];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('---')) documents.push([]);
    else if (/^\s*[^\s#]/.test(line)) documents.at(-1)!.push(line);
  }
  return documents.filter((lines) => lines.length > 0);
}

function guessObject(lines: readonly string[]): ObjectRef | undefined {
  const apiVersion = onlyField(lines, 'apiVersion', '');
  const kind = onlyField(lines, 'kind', '');
  const begin = lines.findIndex((line) => /^metadata:\s*(#.*)?$/.test(line));
  const after = lines.slice(begin + 1);
  const end = after.findIndex((line) => !/^\s/.test(line));
  const metadata = end < 0 ? after : after.slice(0, end);
  const indent = /^\s*/.exec(metadata[0] ?? '')![0];
  if (apiVersion === undefined || kind === undefined || begin < 0 || indent === '') return undefined;
  const name = onlyField(metadata, 'name', indent);
  if (name === undefined) return undefined;
  const namespaces = metadata.filter((line) => line.startsWith(`${indent}namespace:`));
  const namespace = onlyField(metadata, 'namespace', indent);
  if (namespaces.length > 0 && namespace === undefined) return undefined;
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}

/** Value of a field that has exactly one line; undefined for two, as in a merge conflict. */
function onlyField(lines: readonly string[], field: string, indent: string): string | undefined {
  const found = lines.filter((line) => line.startsWith(`${indent}${field}:`));
  if (found.length !== 1) return undefined;
  return /^\s*["']?([^\s"'#{}[\],&*!|>]+)["']?\s*(?:#.*)?$/.exec(
    found[0]!.slice(indent.length + field.length + 1),
  )?.[1];
}
