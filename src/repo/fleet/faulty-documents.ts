import type { Problem } from '../../api/problem.ts';
import type { RepoTree, TreeFile } from '../tree.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { type Placed, textsOf } from './finding.ts';

/**
 * Documents of files with YAML problems that were not read and can be, apart from the refused values; `tree` has these files as they
 * were read for it.
 */
export async function faultyDocuments(
  { problems, placed }: { readonly problems: readonly Problem[]; readonly placed: readonly Placed[] },
  tree: RepoTree,
  files: readonly TreeFile[],
): Promise<{ readonly faulty: readonly Placed[]; readonly tree: RepoTree }> {
  const names = new Set(problems.map(({ file }) => file));
  const concerned = files.filter(({ path }) => names.has(path));
  const written = await textsOf(tree, concerned);
  const texts = new Map([...written].map(([file, text]) => [file, withoutBroken(text, file)]));
  const sound = new Set(placed.map(({ file, line }) => `${file}:${line}`));
  const faulty = [...texts].flatMap(([file, text]) => {
    const read = parseYaml(text, file, { withFaulty: true });
    return [...read.documents, ...(read.faulty ?? [])].flatMap(({ value, line }): Placed[] =>
      sound.has(`${file}:${line}`) ? [] : [{ value: value as object, file, line, inside: [] }],
    );
  });
  const changed = new Map(concerned.map(({ oid, path }) => [oid, new TextEncoder().encode(texts.get(path))]));
  return { faulty, tree: { ...tree, read: async (oids) => new Map([...(await tree.read(oids)), ...changed]) } };
}

/** A quote that is not closed takes in all documents that follow, so documents that are not YAML by themselves are emptied. */
const withoutBroken = (text: string, file: string): string =>
  text
    .split(/^(?=---)/m)
    .map((piece) => {
      if (!parseYaml(piece, file).problems.some(({ code }) => code === 'yaml-syntax')) return piece;
      return piece.replace(/^(?!---).+$/gm, '').replace(/^---.+$/m, '---');
    })
    .join('');
