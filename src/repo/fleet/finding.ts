import type { Issue } from '../../api/issue.ts';
import type { ObjectRef } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import { nameInFront } from '../../engine/problem-of.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import type { RepoTree, TreeFile } from '../tree.ts';
import { holdsSecret } from '../yaml/holds-secret.ts';
import { placesIn } from './places.ts';

/** An object and its position. */
export interface Placed {
  readonly value: object;
  readonly file: string;
  /** First line of its document, from 1. */
  readonly line: number;
  /** Path of the object inside its document: empty except for items of a List. */
  readonly inside: readonly (string | number)[];
}

/** An issue with its file, before line and column are computed. */
export interface Finding {
  readonly placed: Placed;
  readonly issue: Issue;
  readonly ref?: ObjectRef | undefined;
  /** The object that the issue is also about. */
  readonly twin?: Placed | undefined;
}

/** Adds line and column to findings. Reads and parses again only files with findings, each once. */
export async function locate(
  findings: readonly Finding[],
  tree: RepoTree,
  files: readonly TreeFile[],
): Promise<Problem[]> {
  const concerned = new Set(findings.flatMap(({ placed, twin }) => [placed.file, ...(twin ? [twin.file] : [])]));
  const texts = await textsOf(
    tree,
    files.filter(({ path }) => concerned.has(path)),
  );
  const asked = findings.map(({ placed, twin, issue: { path } }) => ({
    own: askedPlace(placed, path),
    other: twin && askedPlace(twin, path),
  }));
  const places = await placesIn(
    texts,
    asked.flatMap(({ own, other }) => [own, ...(other ? [other] : [])]),
  );
  const secrets = new Map([...texts].map(([file, text]) => [file, holdsSecret(text)]));
  return findings.map(({ placed, issue, ref, twin }, at) => {
    const { own, other } = asked[at]!;
    const message = [
      subjectOf(ref, issue.message),
      issue.message,
      other ? ` (also ${twin!.file}:${places.get(other)!.line})` : '',
    ].join('');
    const value = secrets.get(placed.file) ? undefined : (issue.value ?? valueAt(placed.value, issue));
    return {
      severity: issue.severity,
      code: issue.code,
      file: placed.file,
      ...places.get(own)!,
      ...(issue.path.length > 0 ? { path: issue.path.join('.') } : {}),
      ...(value === undefined ? {} : { value: value.split('\n', 1)[0]!.slice(0, 80) }),
      message,
      ...(issue.fix === undefined ? {} : { fix: issue.fix }),
    };
  });
}

const askedPlace = ({ file, line, inside }: Placed, path: Issue['path']) => ({
  file,
  line,
  path: [...inside, ...path],
});

/** Prefix of the message, unless the object has no name or the message starts with it. */
function subjectOf(ref: Finding['ref'], message: string): string {
  if (!ref?.name || message.startsWith(`${describeRef(ref)} `)) return '';
  return nameInFront(ref);
}

/** The texts of files, by path. */
export async function textsOf(tree: RepoTree, files: readonly TreeFile[]): Promise<Map<string, string>> {
  if (files.length === 0) return new Map();
  const contents = await tree.read(files.map(({ oid }) => oid));
  return new Map(files.map(({ path, oid }) => [path, decode(contents.get(oid) ?? new Uint8Array())]));
}

/** Invalid UTF-8 becomes U+FFFD, which the parser refuses with its position; a byte order mark is dropped. */
export const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function valueAt(root: object, { path }: Issue): string | undefined {
  let present: unknown = root;
  for (const part of path) present = (present as Record<string | number, unknown> | null | undefined)?.[part];
  if (present === undefined || present === null || typeof present === 'object') return undefined;
  return String(present);
}
