import type { ObjectRef } from '../api/meta.ts';

/**
 * Names of the objects that a broken text seems to hold, line by line: so that one broken file holds back exactly its own
 * objects. Undefined when some document of it does not say clearly what it is.
 */
export function guessObjects(text: string): ObjectRef[] | undefined {
  const refs: ObjectRef[] = [];
  for (const part of text.split(/^---.*$/m)) {
    if (part.trim() === '' || /^(\s*#.*\s*)*$/.test(part)) continue;
    const only = (pattern: RegExp): string | undefined => {
      const found = [...part.matchAll(pattern)];
      return found.length === 1 ? found[0]![1]?.replace(/^["']|["']$/g, '') : undefined;
    };
    const apiVersion = only(/^apiVersion:\s*(\S+)\s*(?:#.*)?$/gm);
    const kind = only(/^kind:\s*(\S+)\s*(?:#.*)?$/gm);
    const metadata = /^metadata:\s*\n((?:[ \t]+.*\n?|\s*\n)*)/m.exec(part)?.[1];
    const indent = /^([ \t]+)\S/.exec(metadata ?? '')?.[1];
    if (apiVersion === undefined || kind === undefined || metadata === undefined || indent === undefined)
      return undefined;
    const field = (name: string): string | undefined =>
      new RegExp(`^${indent}${name}:\\s*["']?([^\\s"'#]+)`, 'm').exec(metadata)?.[1];
    const name = field('name');
    const namespace = field('namespace');
    if (name === undefined) return undefined;
    refs.push({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) });
  }
  return refs;
}
