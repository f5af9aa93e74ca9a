import type { Problem } from '../../api/problem.ts';
import type { RepoTree } from '../tree.ts';
import { decode } from './finding.ts';
import { type AskedPlace, placesIn } from './places.ts';

/**
 * Adds line and column to problems found during planning. The engine knows only the file and the first line of the document. Calls
 * `tree` only if there are such problems, and reads only their files; without the tree they stay as they are. Drops warnings inside
 * refused fields.
 */
export async function placeProblems(
  found: readonly Problem[],
  tree: () => Promise<RepoTree | undefined>,
): Promise<readonly Problem[]> {
  const problems = withoutEchoes(found);
  const names = new Set(problems.filter(isUnplaced).map(({ file }) => file!));
  if (names.size === 0) return problems;
  const files = await tree();
  if (!files) return problems;
  const texts = await textsOf(files, names);
  const asked = new Map(
    problems.flatMap((problem): [Problem, AskedPlace][] => {
      const { file, line, inside = [], path } = problem;
      if (!isUnplaced(problem) || !texts.has(file!)) return [];
      return [[problem, { file: file!, line: line!, path: [...inside, ...partsOf(path ?? '')] }]];
    }),
  );
  const places = await placesIn(texts, [...asked.values()]);
  return problems.map((problem) => {
    const place = places.get(asked.get(problem)!);
    if (!place) return problem;
    const { severity, code, file, line: _line, inside: _inside, ...rest } = problem;
    return { severity, code, file: file!, ...place, ...rest };
  });
}

/** `metadata.annotations["gitfleet.dev/a"]` has three parts. */
const partsOf = (path: string): string[] =>
  (path.match(/\["[^"]*"\]|(?:(?!\[")[^.])+/g) ?? []).map((part) => part.replace(/^\["(.*)"\]$/, '$1'));

/** Drops warnings inside a field with an error, since the error explains them. */
function withoutEchoes(problems: readonly Problem[]): readonly Problem[] {
  const errors = new Map(
    problems.flatMap((problem) =>
      problem.severity === 'error' && isUnplaced(problem) ? [[documentOf(problem), problem.path ?? '']] : [],
    ),
  );
  if (errors.size === 0) return problems;
  return problems.filter((problem) => {
    const refused = isUnplaced(problem) && problem.severity === 'warning' ? errors.get(documentOf(problem)) : undefined;
    return refused === undefined || !`${problem.path ?? ''}.`.startsWith(refused === '' ? '' : `${refused}.`);
  });
}

const documentOf = ({ file, line, inside }: Problem): string => JSON.stringify([file, line, inside]);

const isUnplaced = ({ file, line, column }: Problem): boolean =>
  file !== undefined && line !== undefined && column === undefined;

async function textsOf(tree: RepoTree, names: ReadonlySet<string>): Promise<Map<string, string>> {
  const files = (await tree.files()).filter(({ path }) => names.has(path));
  const contents = await tree.read(files.map(({ oid }) => oid));
  return new Map(
    files.flatMap(({ path, oid }) => {
      const bytes = contents.get(oid);
      return bytes ? [[path, decode(bytes)] as const] : [];
    }),
  );
}
