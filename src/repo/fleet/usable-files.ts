import { posix } from 'node:path';
import type { Problem } from '../../api/problem.ts';
import { fleetLimits, tooLarge } from '../too-large.ts';
import { isFile, isHidden, mayBeManifest, type RepoTree, type TreeFile } from '../tree.ts';
import { decode } from './finding.ts';
import { ignoredBy } from './ignored-files.ts';

export interface UsableFiles {
  /** YAML and JSON files, sorted by path so that the order of the tree has no effect. */
  readonly files: readonly TreeFile[];
  readonly problems: readonly Problem[];
  /** Refused files, whose contents are unknown. */
  readonly refused: readonly string[];
  /** Files whose paths differ only in case, which collide on some file systems: none is used. */
  readonly colliding: ReadonlySet<string>;
}

/**
 * The files of a tree that may be read, and problems for the others. Folders that begin with a dot are skipped. `knownSize`: of
 * contents that need not be looked up.
 */
export async function usableFiles(
  tree: RepoTree,
  knownSize: (oid: string) => number | undefined = () => undefined,
): Promise<UsableFiles> {
  const problems: Problem[] = [];
  const refused: string[] = [];
  const usable: TreeFile[] = [];
  const refuse = (path: string, finding: Finding): void => {
    problems.push({ severity: 'error', file: path, line: 1, column: 1, ...finding });
    if (finding.severity !== 'warning') refused.push(path);
  };
  const isIgnored = await ignoredIn(tree, refuse);
  const isOfFleet = (file: TreeFile): boolean => !isHidden(placeOf(file)) && !isIgnored(file.path);
  const listed = (await tree.files()).filter(isOfFleet).toSorted(byPath);
  const notRead = await oversizedFiles(tree, listed, knownSize);
  for (const [path, message] of notRead)
    refuse(path, { code: 'file-too-large', message, fix: 'split it, or remove it' });
  const all = listed.filter(({ path }) => !notRead.has(path));
  const targets = await tree.read(all.filter(isLink).map(({ oid }) => oid));
  const charts = all.flatMap(({ path }) => (posix.basename(path) === 'Chart.yaml' ? [posix.dirname(path)] : []));
  for (const file of all) {
    const finding = faultOf(file, isLink(file) ? decode(targets.get(file.oid) ?? new Uint8Array()) : '');
    if (finding) refuse(file.path, finding);
    else if (!isLink(file) && mayBeManifest(file)) {
      const tool = toolOf(file.path, charts);
      if (tool === undefined) usable.push(file);
      else if (tool !== '') problems.push(notRun(file.path, tool));
    }
  }
  const colliding = collisions(usable);
  for (const [path, other] of colliding) {
    problems.push({
      severity: 'error',
      code: 'case-collision',
      file: path,
      line: 1,
      column: 1,
      message: `the path differs from ${other} only in case`,
      fix: 'rename one of them',
    });
  }
  return { files: usable, problems, refused, colliding: new Set(colliding.keys()) };
}

/** By `.gitfleetignore` at the root. One that is too large counts as none. */
async function ignoredIn(
  tree: RepoTree,
  refuse: (path: string, finding: Finding) => void,
): Promise<(path: string) => boolean> {
  const file = (await tree.files()).find(({ path }) => path === ignoreFile);
  if (file === undefined || !isFile(file)) return () => false;
  const size = (await tree.sizes?.([file.oid]))?.get(file.oid) ?? 0;
  const bytes = size > longestIgnoreFile ? undefined : (await tree.read([file.oid])).get(file.oid);
  if (bytes !== undefined && bytes.length <= longestIgnoreFile) return ignoredBy(decode(bytes));
  const message = `it has more than ${longestIgnoreFile} bytes, and nothing is ignored`;
  refuse(ignoreFile, { code: 'file-too-large', message, fix: 'name folders rather than files' });
  return () => false;
}

const ignoreFile = '.gitfleetignore';
/** Bytes. */
const longestIgnoreFile = 4096;

/** Readable files that are too large, links with an impossible target, and folders that were not listed. */
async function oversizedFiles(
  tree: RepoTree,
  files: readonly TreeFile[],
  knownSize: (oid: string) => number | undefined,
): Promise<ReadonlyMap<string, string>> {
  const asked = files.filter((file) => isLink(file) || (mayBeManifest(file) && isFile(file)));
  const known = asked.map(({ oid }) => knownSize(oid));
  const others = asked.flatMap(({ oid }, at) => (known[at] === undefined ? [oid] : []));
  const found = (await tree.sizes?.(others)) ?? new Map<string, number>();
  const sized = asked.map((file, at) => [file, known[at] ?? found.get(file.oid) ?? 0] as const);
  const links = sized.filter(([file, size]) => isLink(file) && size > longestTarget);
  const contents = sized.flatMap(([file, size]) => (isFile(file) ? [[file.path, size] as const] : []));
  const folders = files.filter(({ mode }) => mode === '40000');
  return new Map([
    ...tooLarge(contents, fleetLimits),
    ...links.map(([{ path }, size]) => [path, `the target of the symbolic link has ${size} bytes`] as const),
    ...folders.map(({ path }) => [path, 'the folder is too large or too deep to be listed'] as const),
  ]);
}

/** Longest path on Linux, bytes. */
const longestTarget = 4096;

/** With a slash for a folder, so that its own name can hide it. */
const placeOf = ({ path, mode }: TreeFile): string => (mode === '40000' ? `${path}/` : path);

type Finding = Pick<Problem, 'code' | 'message' | 'fix'> & { readonly severity?: 'warning' };

const byPath = (a: TreeFile, b: TreeFile): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

const isLink = ({ mode }: TreeFile): boolean => mode === '120000';

/** It has an empty part, `.` or `..`, a backslash or a zero. */
const unsafePath = /(^|\/)\.{0,2}(\/|$)|[\0\\]/;

function faultOf({ path, mode }: TreeFile, target: string): Finding | undefined {
  if (unsafePath.test(path))
    return {
      code: 'unsafe-path',
      message: 'the path leads out of the repo, or is not portable',
      fix: 'rename the file',
    };
  if (mode === '160000')
    return {
      // Only under resources/ a submodule may be meant for placement.
      ...(path.startsWith('resources/') ? {} : { severity: 'warning' as const }),
      code: 'submodule',
      message: 'a submodule is not followed',
      fix: 'put its files into this repo',
    };
  if (mode !== '120000') return undefined;
  const resolved = posix.normalize(posix.join(posix.dirname(path), target));
  return target.startsWith('/') || resolved === '..' || resolved.startsWith('../')
    ? {
        code: 'escaping-symlink',
        message: `the symbolic link leads out of the repo, to ${target}`,
        fix: 'replace it by a copy',
      }
    : {
        severity: 'warning',
        code: 'symlink',
        message: 'symbolic links are not followed: the target is read at its own path',
        fix: 'replace it by a copy',
      };
}

/** The tool whose input the file is; empty if its chart has the warning already. */
function toolOf(path: string, charts: readonly string[]): string | undefined {
  if (/(^|\/)kustomization\.ya?ml$/.test(path)) return 'Kustomize';
  if (posix.basename(path) === 'Chart.yaml') return 'Helm';
  const ofChart = (chart: string): boolean => {
    const inside = chart === '.' ? path : path.startsWith(`${chart}/`) ? path.slice(chart.length + 1) : '';
    return inside.startsWith('templates/') || /^values[^/]*\.(ya?ml|json)$/.test(inside);
  };
  return charts.some(ofChart) ? '' : undefined;
}

const notRun = (file: string, tool: string): Problem => ({ file, line: 1, column: 1, ...notRendered(tool) });

/** The note on input of a tool. */
export const notRendered = (tool: string) =>
  ({
    severity: 'info',
    code: 'not-rendered',
    message: `${tool} is not run: this file places nothing`,
    fix: 'commit the rendered manifests under resources/',
  }) as const;

/** Paths that differ only in case, each with another of its group. */
function collisions(files: readonly TreeFile[]): Map<string, string> {
  const groups = Map.groupBy(files, ({ path }) => path.normalize('NFC').toLowerCase());
  const found = new Map<string, string>();
  for (const group of groups.values())
    for (const { path } of group) {
      const other = group.find((candidate) => candidate.path !== path);
      if (other) found.set(path, other.path);
    }
  return found;
}
