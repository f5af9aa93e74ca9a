import { posix } from 'node:path';
import type { Issue } from '../api/issue.ts';
import { type FleetObject, fleetKindOf, isFleetGroup } from '../api/kinds.ts';
import type { Manifest, ObjectRef } from '../api/meta.ts';
import { notActedOnYet } from '../api/not-acted-on.ts';
import type { Problem } from '../api/problem.ts';
import { validateFleetObject } from '../api/validate.ts';
import { validateAcross } from '../api/validate-fleet.ts';
import { type Fleet, sourceKey } from '../engine/input.ts';
import { guessObjects } from './guess.ts';
import { crdScopes, type Found, hubObject } from './hub-objects.ts';
import { type LoadCache, memoryCache } from './load-cache.ts';
import { parseAll, type ToParse } from './parse-pool.ts';
import { type ParsedFile, positionIn } from './parse-yaml.ts';
import { byPosition } from './positions.ts';
import { sortFleet } from './sort-fleet.ts';
import type { RepoTree, TreeFile } from './tree.ts';

/** What a document is, and where. */
interface Placed {
  readonly value: unknown;
  readonly file: string;
  readonly line: number;
}

/** Text of a file, for positions of findings; only files with findings are read again. */
type TextOf = (file: string) => string | undefined;

/**
 * Reads a fleet repo: fleet objects by their group wherever they stand, everything under `resources/` as what a hub would
 * hold. A bad file never stops the rest: its objects are named in `refused`, or the file in `unreadable`.
 */
export async function loadFleet(tree: RepoTree, cache: LoadCache = memoryCache()): Promise<Fleet> {
  const problems: Problem[] = [];
  const files = await usableFiles(tree, problems);
  const missing = files.filter(({ oid }) => cache.get(oid) === undefined);
  const contents = await tree.read(missing.map(({ oid }) => oid));
  const toParse = missing.flatMap(({ oid, path }): ToParse[] => {
    const bytes = contents.get(oid);
    return bytes ? [{ oid, file: path, text: decode(bytes) }] : [];
  });
  for (const [oid, parsed] of await parseAll(toParse)) cache.put(oid, parsed);
  await cache.flush(new Set(files.map(({ oid }) => oid)));

  const unreadable: string[] = [];
  const refused: ObjectRef[] = [];
  const documents: Placed[] = [];
  const suspicious = files.filter(({ oid }) => cache.get(oid)?.readable === false);
  const texts = await textsOf(tree, [...suspicious]);
  for (const { path, oid } of files) {
    const parsed = cache.get(oid);
    if (!parsed) continue;
    for (const problem of parsed.problems) problems.push({ ...problem, file: path });
    for (const { value, line } of parsed.documents) documents.push({ value, file: path, line });
    if (!parsed.readable) holdBroken(path, texts.get(path) ?? '', parsed, refused, unreadable);
  }
  const sorted = classify(documents);
  const withFindings = await fleetObjects(sorted.fleet, tree, files);
  const resources = hubObjects(sorted.hub);
  return sortFleet({
    objects: withFindings.objects,
    resources: resources.objects,
    refused: [...refused, ...withFindings.refused, ...resources.refused],
    unreadable,
    problems: [...problems, ...sorted.problems, ...withFindings.problems, ...resources.problems].sort(byPosition),
    sources: withFindings.sources,
    notActedOn: withFindings.objects.flatMap((object) => (notActedOnYet(object) === undefined ? [] : [refOf(object)])),
  });
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** YAML and JSON files that may be read at all; what must not be followed or trusted is a finding. */
async function usableFiles(tree: RepoTree, problems: Problem[]): Promise<TreeFile[]> {
  const usable: TreeFile[] = [];
  const folded = new Map<string, string>();
  const all = await tree.files();
  const links = all.filter(({ mode }) => mode === '120000');
  const targets = await tree.read(links.map(({ oid }) => oid));
  const refuse = (file: string, code: string, message: string, fix: string) =>
    problems.push({ severity: 'error', code, file, line: 1, column: 1, message, fix });
  for (const file of all) {
    const { path, mode, oid } = file;
    const parts = path.split('/');
    if (parts.some((part) => part.startsWith('.') && part !== '.' && part !== '..')) continue;
    if (path.startsWith('/') || parts.includes('..') || /[\0\\]/.test(path))
      refuse(path, 'unsafe-path', 'the path leads out of the repo or is not portable', 'rename the file');
    else if (mode === '160000')
      problems.push({
        severity: 'warning',
        code: 'submodule',
        file: path,
        message: 'a submodule is not followed',
        fix: 'put the files into this repo',
      });
    else if (mode === '120000') {
      const target = decode(targets.get(oid) ?? new Uint8Array());
      const resolved = posix.normalize(posix.join(posix.dirname(path), target));
      if (target.startsWith('/') || resolved.startsWith('..'))
        refuse(
          path,
          'escaping-symlink',
          `the symbolic link leads out of the repo, to ${target}`,
          'replace it by a copy',
        );
      else
        problems.push({
          severity: 'warning',
          code: 'symlink',
          file: path,
          message: 'symbolic links are not followed',
          fix: 'replace it by a copy',
        });
    } else if (/\.(ya?ml|json)$/i.test(path)) {
      const same = folded.get(path.toLowerCase());
      if (same !== undefined)
        problems.push({
          severity: 'warning',
          code: 'case-collision',
          file: path,
          message: `${same} differs only in case`,
          fix: 'rename one of them',
        });
      folded.set(path.toLowerCase(), path);
      usable.push(file);
    }
  }
  return usable;
}

async function textsOf(tree: RepoTree, files: readonly TreeFile[]): Promise<Map<string, string>> {
  if (files.length === 0) return new Map();
  const contents = await tree.read(files.map(({ oid }) => oid));
  return new Map(files.map(({ path, oid }) => [path, decode(contents.get(oid) ?? new Uint8Array())]));
}

/** A broken file holds back the objects it seems to hold; when it does not tell, nothing may be concluded from absence. */
function holdBroken(path: string, text: string, parsed: ParsedFile, refused: ObjectRef[], unreadable: string[]): void {
  const inFleet = path.startsWith('resources/') || /kubernetes-fleet\.io|gitfleet\.dev/.test(text);
  if (!inFleet) return;
  const guessed = guessObjects(text);
  if (guessed === undefined) unreadable.push(path);
  else {
    const read = new Set(parsed.documents.map(({ value }) => JSON.stringify(nameOf(value))));
    refused.push(
      ...guessed.filter(
        (ref) => !read.has(JSON.stringify({ kind: ref.kind, name: ref.name, namespace: ref.namespace })),
      ),
    );
  }
}

const nameOf = (value: unknown): object => {
  const { kind, metadata } = (value ?? {}) as { kind?: string; metadata?: { name?: string; namespace?: string } };
  return { kind, name: metadata?.name, namespace: metadata?.namespace };
};

function classify(documents: readonly Placed[]): {
  readonly fleet: Placed[];
  readonly hub: Placed[];
  readonly problems: Problem[];
} {
  const fleet: Placed[] = [];
  const hub: Placed[] = [];
  const problems: Problem[] = [];
  const sort = (placed: Placed): void => {
    const { apiVersion, kind, items } = (placed.value ?? {}) as {
      apiVersion?: unknown;
      kind?: unknown;
      items?: unknown;
    };
    const inResources = placed.file.startsWith('resources/');
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
      if (inResources)
        problems.push({
          severity: 'error',
          code: 'not-an-object',
          file: placed.file,
          line: placed.line,
          column: 1,
          message: 'this is no Kubernetes object: apiVersion or kind is missing',
          fix: 'add apiVersion and kind, or move the file out of resources/',
        });
    } else if (kind === 'List' && apiVersion === 'v1' && Array.isArray(items))
      for (const item of listItems(placed.value as object, items)) sort({ ...placed, value: item });
    else if (kind === 'ClusterResourceEnvelope' || kind === 'ResourceEnvelope') {
      fleet.push(placed);
      hub.push(placed);
    } else if (isFleetGroup(apiVersion)) {
      if (fleetKindOf(apiVersion, kind) !== 'simulation') fleet.push(placed);
    } else if (inResources) hub.push(placed);
    else
      problems.push({
        severity: 'info',
        code: 'not-placed',
        file: placed.file,
        line: placed.line,
        column: 1,
        message: `${kind} stands outside resources/ and is not placed anywhere`,
        fix: 'move it under resources/ if it should be',
      });
  };
  for (const placed of documents) sort(placed);
  return { fleet, hub, problems };
}

/** Items of a List keep their identity between loads, like documents do. */
const lists = new WeakMap<object, readonly unknown[]>();
function listItems(list: object, items: readonly unknown[]): readonly unknown[] {
  const known = lists.get(list) ?? items;
  lists.set(list, known);
  return known;
}

interface FleetObjects {
  readonly objects: FleetObject[];
  readonly refused: ObjectRef[];
  readonly problems: Problem[];
  readonly sources: NonNullable<Fleet['sources']>;
}

async function fleetObjects(
  placed: readonly Placed[],
  tree: RepoTree,
  files: readonly TreeFile[],
): Promise<FleetObjects> {
  const validated = placed.map((document) => ({ document, ...validateFleetObject(document.value) }));
  const accepted = validated.flatMap((entry) => (entry.object ? [{ ...entry, object: entry.object }] : []));
  const across = validateAcross(accepted.map(({ object }) => object));
  const findings = [
    ...validated.flatMap(({ document, issues, ref }) => issues.map((issue) => ({ document, issue, ref }))),
    ...across.map(({ index, issue, other }) => ({
      document: accepted[index]!.document,
      issue,
      ref: accepted[index]!.ref,
      beside: other === undefined ? undefined : accepted[other]!.document,
    })),
  ];
  const concerned = new Set(findings.map(({ document }) => document.file));
  const texts = await textsOf(
    tree,
    files.filter(({ path }) => concerned.has(path)),
  );
  const textOf: TextOf = (file) => texts.get(file);
  const struck = new Set(
    across
      .filter(({ issue }) => issue.severity === 'error' && issue.code !== 'invalid-budget')
      .flatMap(({ index, other, issue }) =>
        issue.code === 'duplicate-object' && other !== undefined ? [index, other] : [index],
      ),
  );
  const refused = [
    ...validated.filter(({ object, ref }) => !object && ref).map(({ ref }) => ref!),
    ...[...struck].flatMap((index) => accepted[index]!.ref ?? []),
  ];
  return {
    objects: accepted.filter((_, index) => !struck.has(index)).map(({ object }) => object),
    refused,
    problems: findings.map((finding) => problemOf(finding, textOf)),
    sources: new Map(
      validated.flatMap(({ ref, document: { file, line } }) =>
        ref ? [[sourceKey(ref.kind, ref), { file, line }] as const] : [],
      ),
    ),
  };
}

function problemOf(
  {
    document,
    issue,
    ref,
    beside,
  }: { document: Placed; issue: Issue; ref?: ObjectRef | undefined; beside?: Placed | undefined },
  textOf: TextOf,
): Problem {
  const text = textOf(document.file);
  const place = (text === undefined ? undefined : positionIn(text, document.line, issue.path)) ?? {
    line: document.line,
    column: 1,
  };
  const value = issue.value ?? valueAt(document.value, issue.path);
  const message = [
    ref ? `${ref.kind} ${ref.name}: ` : '',
    issue.message,
    beside ? ` (also ${beside.file}:${beside.line})` : '',
  ].join('');
  return {
    severity: issue.severity,
    code: issue.code,
    file: document.file,
    ...place,
    ...(issue.path.length > 0 ? { path: issue.path.join('.') } : {}),
    ...(value === undefined ? {} : { value }),
    message,
    ...(issue.fix === undefined ? {} : { fix: issue.fix }),
  };
}

function valueAt(root: unknown, path: readonly (string | number)[]): string | undefined {
  let present = root;
  for (const part of path) present = (present as Record<string | number, unknown> | undefined)?.[part];
  if (present === undefined || present === null || typeof present === 'object') return undefined;
  return String(present).slice(0, 80);
}

function hubObjects(placed: readonly Placed[]): {
  readonly objects: Fleet['resources'][number][];
  readonly refused: ObjectRef[];
  readonly problems: Problem[];
} {
  const found = placed.map(({ value, file, line }): Found => ({ manifest: value as Manifest, file, line }));
  const crds = crdScopes(found);
  const problems: Problem[] = [];
  const refused: ObjectRef[] = [];
  const first = new Map<string, { readonly found: Found; readonly at: number }>();
  const objects: (Fleet['resources'][number] | undefined)[] = [];
  for (const entry of found) {
    const { object, problems: own } = hubObject(entry, crds);
    problems.push(...own);
    const { manifest, file, line } = entry;
    if (!object) {
      if (typeof manifest.metadata?.name === 'string') refused.push(refOf(manifest));
      continue;
    }
    const group = manifest.apiVersion.includes('/') ? manifest.apiVersion.split('/')[0] : '';
    const key = `${group}/${manifest.kind}/${manifest.metadata.namespace ?? ''}/${manifest.metadata.name}`;
    const other = first.get(key);
    if (other) {
      objects[other.at] = undefined;
      refused.push(refOf(manifest));
      const message = `${manifest.kind} ${manifest.metadata.namespace ? `${manifest.metadata.namespace}/` : ''}${manifest.metadata.name} is in two places, also ${other.found.file}:${other.found.line}`;
      problems.push({
        severity: 'error',
        code: 'duplicate-object',
        file,
        line,
        column: 1,
        path: 'metadata.name',
        message,
        fix: 'keep one of them',
      });
      continue;
    }
    first.set(key, { found: entry, at: objects.length });
    objects.push(object);
  }
  return { objects: objects.flatMap((object) => object ?? []), refused, problems };
}

const refOf = (object: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: { readonly name?: string | undefined; readonly namespace?: string | undefined } | undefined;
}): ObjectRef => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  ...(object.metadata?.namespace ? { namespace: object.metadata.namespace } : {}),
  name: object.metadata?.name ?? 'fleet',
});
