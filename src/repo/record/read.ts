import type { z } from 'zod';
import { type FleetConfig, fleetConfig } from '../../api/gitfleet.ts';
import type { ClusterName } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { FleetRecord } from '../../engine/input.ts';
import type { RecordDocument } from '../../engine/plan-document.ts';
import type { NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { type DaemonMemory, daemonMemoryFile, readDaemonMemory, type UnreachableMember } from './daemon-memory.ts';
import type { RecordReader } from './folders/row.ts';
import { openFolders } from './folders/rows.ts';
import { allSnapshotsRead, manifestsIn } from './manifests.ts';
import { reasonNotRead, wholeBranch } from './not-read.ts';
import { isPreview, isRead, recordPathOf, unknownFolderOf } from './path.ts';
import { type Fault, type FileRead, readRecordFile } from './read-file.ts';
import type { RemovalToApprove, UnusedApproval } from './removals-to-approve.ts';
import { type RoundCache, roundCache } from './round-cache.ts';
import { identityOf, type StatusText, unpacked } from './status-text.ts';
import {
  type Held,
  memoryInSummary,
  type NotInEffect,
  notInEffectIn,
  notRolledOutIn,
  type RequestPage,
  summary,
} from './summary.ts';

/**
 * Reads the status branch. An unreadable file is a problem. If work could then happen twice it is an error, and the entry is listed as
 * unread; other entries count as missing. Reads sharded directories (`placements/3f/web/…`) and plain ones. Files whose rendered
 * documents are known are not parsed.
 */
export function readRecord(
  files: ReadonlyMap<string, StatusText>,
  written: ReadonlyMap<string, RecordDocument> = new Map(),
): {
  readonly record: FleetRecord;
  readonly problems: readonly Problem[];
  /** The followed branch; undefined if it is not recorded. */
  readonly branch: string | undefined;
  /** Members that did not respond when this was written. */
  readonly unreachable: ReadonlyMap<ClusterName, UnreachableMember>;
  /** Removals that wait for approval. */
  readonly removals: readonly RemovalToApprove[];
  /** Approvals of removals that have allowed nothing yet. */
  readonly unusedApprovals: readonly UnusedApproval[];
  readonly holds: readonly Held[];
  /** Problems that the daemon reported. */
  readonly reported: readonly Problem[];
  readonly notInEffect: NotInEffect;
  /** External placements that need a staged update run. */
  readonly notRolledOut: readonly NotRolledOut[];
  /** Pull requests, by the name of their approval. */
  readonly pages: ReadonlyMap<string, RequestPage>;
} {
  const problems: Problem[] = [];
  const reader = recordReader(problems);
  const folders = openFolders(reader);
  const unknown = new Set<string>();
  let known: z.infer<typeof summary> = {};
  let memory: DaemonMemory | undefined;
  let config: FleetConfig | undefined;
  for (const [path, text] of files) {
    const { directory, name = path, rest = '' } = recordPathOf(path) ?? {};
    const file = { path, name, rest, text, written: written.get(path) };
    if (path === wholeBranch) problems.push(branchNotRead(unpacked(text)));
    else if (directory !== undefined && isRead(path)) folders.add(directory, file);
    else if (path === 'fleet.yaml') config = reader.read(file, fleetConfig);
    else if (path === 'daemon.yaml') memory = memoryIn(reader.read(file, daemonMemoryFile));
    else if (path === 'summary.yaml') known = reader.read(file, summary) ?? {};
    else if (unknownFolderOf(path) !== undefined && !isPreview(path)) unknown.add(unknownFolderOf(path)!);
  }
  const { unreachable, commit, inEffect, askedRemovals } = memory ?? memoryInSummary(known);
  const removals = known.removals ?? [];
  for (const cache of values.values()) cache.endRound();
  allSnapshotsRead();
  return {
    problems: [...atMost(problems), ...[...unknown].map(unknownFolder)],
    branch: known.branch,
    unreachable,
    removals,
    unusedApprovals: known.unusedApprovals ?? [],
    holds: known.holds ?? [],
    reported: known.problems ?? [],
    notInEffect: notInEffectIn(known),
    notRolledOut: notRolledOutIn(known),
    pages: new Map((known.pullRequests ?? []).map(({ approval, ...page }) => [approval, page])),
    record: {
      exists: [...files.keys()].some((path) => path.startsWith('placements/')),
      inEffect,
      ...folders.record(),
      config,
      commit,
      // Without a daemon nothing is requested: who plans on from a saved record may approve at once.
      askedRemovals: memory && (askedRemovals ?? new Set(removals.map(({ removalDigest }) => removalDigest))),
    },
  };
}

/** A record with more unreadable files was not written by gitfleet, and each is a line in the log and the dashboard. */
const mostProblems = 200;

function atMost(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= mostProblems) return problems;
  const left = problems.slice(mostProblems - 1);
  const isError = left.some(({ severity }) => severity === 'error');
  const message = `${left.length} more problems of the status branch are left out`;
  return [
    ...problems.slice(0, mostProblems - 1),
    { severity: isError ? 'error' : 'warning', code: 'record-unreadable', file: '(status branch)', message },
  ];
}

/** Then the record counts as lost: nothing is removed, and it is written again. */
const branchNotRead = (text: string): Problem => ({
  severity: 'error',
  code: 'record-unreadable',
  file: '(status branch)',
  message: `the record cannot be used: ${reasonNotRead(text)}`,
  fix: 'let only gitfleet change the status branch, or restore an earlier commit of it; a larger fleet needs a larger heap (NODE_OPTIONS=--max-old-space-size)',
});

const memoryIn = (file: z.infer<typeof daemonMemoryFile> | undefined): DaemonMemory | undefined =>
  file && readDaemonMemory(file);

const recordReader = (problems: Problem[]): RecordReader => ({
  read({ path, name, text, written }, schema, { nameOf, lost } = {}) {
    const found = valuesOf(schema).get(identityOf(text), () => readRecordFile(text, schema, written));
    const value = 'value' in found ? found.value : undefined;
    const own = value && (nameOf?.(value) ?? name);
    if (own === name) return value;
    lost?.();
    for (const fault of 'faults' in found ? found.faults : [ofAnother(own!)])
      problems.push(unreadable(fault, `(status branch) ${path}`, lost !== undefined));
    return undefined;
  },
  manifests({ path, text, written }) {
    const found = manifestsIn(text, written);
    if ('value' in found) return found.value;
    for (const { message, ...place } of found.faults)
      problems.push({
        severity: 'warning',
        code: 'record-unreadable',
        file: `(status branch) ${path}`,
        ...place,
        message: `this snapshot cannot be used: ${message}`,
        fix: 'let only gitfleet change the status branch',
      });
    return undefined;
  },
});

const ofAnother = (own: string): Fault => ({
  line: 1,
  column: 1,
  message: `it contains the object of ${own}`,
  path: 'metadata.name',
});

const unreadable = ({ message, fix, ...fault }: Fault, file: string, isLost: boolean): Problem => ({
  severity: isLost ? 'error' : 'warning',
  code: 'record-unreadable',
  file,
  ...fault,
  message: `this file of the record cannot be used: ${message}`,
  fix: isLost
    ? `${fix ?? 'correct the file'}; let only gitfleet change the status branch`
    : 'let only gitfleet change the status branch; it rewrites the file',
});

const unknownFolder = (folder: string): Problem => ({
  severity: 'info',
  code: 'unknown-record-folder',
  file: `(status branch) ${folder}/`,
  message: 'this version of gitfleet does not know the folder and does not change it',
});

/**
 * By schema and text, so that an unchanged file keeps its identity and is not parsed again. Files that were exchanged have other schemas.
 */
const values = new Map<z.ZodType, RoundCache<FileRead<unknown>>>();

function valuesOf<T>(schema: z.ZodType<T>): RoundCache<FileRead<T>> {
  const cache = values.get(schema) ?? roundCache();
  values.set(schema, cache);
  return cache as RoundCache<FileRead<T>>;
}
