import type { Problem } from '../../api/problem.ts';
import type { RepoTree, TreeFile } from '../tree.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { type Placed, textsOf } from './finding.ts';

/** Documents of files with YAML problems that were refused, and can be read apart from the refused values. */
export async function faultyDocuments(
  problems: readonly Problem[],
  tree: RepoTree,
  files: readonly TreeFile[],
): Promise<readonly Placed[]> {
  const concerned = new Set(problems.map(({ file }) => file));
  const texts = await textsOf(
    tree,
    files.filter(({ path }) => concerned.has(path)),
  );
  return [...texts].flatMap(([file, text]) =>
    (parseYaml(text, file, { withFaulty: true }).faulty ?? []).map(({ value, line }) => ({
      value: value as object,
      file,
      line,
      inside: [],
    })),
  );
}
