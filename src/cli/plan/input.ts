import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ClusterName } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { PlanInput } from '../../engine/input.ts';
import { formatInstant, parseInstant } from '../../engine/kernel/instant.ts';
import { heartbeatToleranceMs } from '../../engine/placement/eligibility.ts';
import { presentOf } from '../../git/fleet-time.ts';
import { fleetWarnings } from '../../repo/fleet/fleet-warnings.ts';
import { loadFleet } from '../../repo/fleet/load-fleet.ts';
import { type Observations, readObservations } from '../../repo/read-observations.ts';
import type { UnreachableMember } from '../../repo/record/daemon-memory.ts';
import { readRecord } from '../../repo/record/read.ts';
import { sha256 } from '../../repo/sha256.ts';
import type { RepoTree } from '../../repo/tree.ts';
import { type OpenedRepo, openRepo } from '../fleet-repo/open-repo.ts';
import type { ObserveOptions } from '../observe-members.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { unreadable } from '../terminal/file-errors.ts';
import { writeError } from '../terminal/write.ts';
import { withRecordedStatus } from './recorded-status.ts';

export interface PlanOptions {
  readonly repo: string;
  /** Folder of the fleet in the repo: see fleetFolder. */
  readonly path?: string;
  readonly ref?: string;
  /** The files of a clone on disk, not those of a commit. */
  readonly worktree?: boolean;
  readonly observed?: string;
  /** Observe the members now, instead of `observed`. */
  readonly observing?: ObserveOptions;
  readonly recorded?: string;
  readonly now?: string;
}

/** Everything a plan is made from, read from files: the same door as the daemon's. */
export const readPlanInput = (options: PlanOptions): Promise<PlanInput> =>
  withPlanInput(options, async (input) => input);

/** What is not part of any plan: the files of the repo, and members that do not respond by the status branch. */
interface PlanContext {
  readonly from: OpenedRepo['from'];
  readonly tree: RepoTree;
  readonly unreachable: ReadonlyMap<ClusterName, UnreachableMember>;
  /** How many members have their status of the plan from the record alone. */
  readonly withRecordedStatus: number;
}

/** Calls `use` with what a plan is made from while the files of the repo can still be read. */
export async function withPlanInput<T>(
  options: PlanOptions,
  use: (input: PlanInput, context: PlanContext) => Promise<T>,
): Promise<T> {
  const given = options.now === undefined ? undefined : parseInstant(options.now);
  if (options.now !== undefined && given === undefined)
    throw new CliError(`--now ${options.now} is no RFC 3339 instant: write for example 2026-11-20T10:00:00Z`);
  const observe = await observer(options);
  const { path, ref, worktree } = options;
  const repo = await openRepo(options.repo, { path, ref, workingTree: worktree ? 'required' : 'offered' });
  try {
    const loaded = await loadFleet(repo.tree);
    const { files, at } = await recordFiles(options, repo);
    const instant = given ?? Math.floor(presentOf(at) / 1000) * 1000;
    const recorded = readRecord(files);
    const observed = await observe?.({ fleet: loaded, record: recorded.record, commit: repo.tree.id });
    if (options.observed !== undefined) noteAge(options.observed, observed?.observations, instant);
    const problems: Problem[] = [
      ...loaded.problems,
      ...(repo.isPart ? [] : fleetWarnings(loaded, recorded.record)),
      ...recorded.problems,
      ...(observed?.problems ?? []),
    ];
    const written: PlanInput = {
      // In UTC, whatever zone the option is in.
      now: formatInstant(instant),
      commit: repo.tree.id,
      fleet: { ...loaded, problems },
      observations: observed?.observations,
      upgradeObservations: undefined,
      record: recorded.record,
      recordedHolds: recorded.record.inEffect?.holds,
      // Nothing but the record is there.
      unproven: new Map(),
      digest: sha256,
    };
    // The contract of `plan --recorded`: a record that is given shows no status of members.
    const input = options.recorded === undefined ? withRecordedStatus(written) : written;
    const fromRecord = input.fleet.members.filter((member, at) => member !== written.fleet.members[at]).length;
    return await use(input, {
      from: repo.from,
      tree: repo.tree,
      unreachable: recorded.unreachable,
      withRecordedStatus: fromRecord,
    });
  } finally {
    await repo.close();
  }
}

type Observe = (
  of: Pick<PlanInput, 'fleet' | 'record' | 'commit'>,
) => Promise<Pick<Observations, 'observations'> & Partial<Observations>>;

/** Where observations come from: files, the members themselves, or nowhere. */
async function observer({ observed, observing }: PlanOptions): Promise<Observe | undefined> {
  if (observed !== undefined) return () => readObservations(observed).catch(unreadable(observed));
  if (observing === undefined) return undefined;
  const { openObserver } = await import('../observe-members.ts');
  const observe = await openObserver(observing);
  return async (of) => {
    const { observations, unreached } = await observe(of);
    if (unreached !== undefined) throw new CliError(unreached, exitCodes.unreachable);
    return { observations: new Map(observations.map((one) => [one.metadata.name, one])) };
  };
}

/** Members count as lost a while after they were observed, which a reader of the plan would not look for in the option. */
function noteAge(folder: string, observations: Observations['observations'] | undefined, now: number): void {
  const times = [...(observations?.values() ?? [])].flatMap(({ reachable, observedAt }) =>
    reachable && observedAt !== undefined ? [parseInstant(observedAt)!] : [],
  );
  const newest = Math.max(...times);
  if (times.length === 0 || now - newest <= heartbeatToleranceMs) return;
  const at = formatInstant(newest);
  writeError(
    `note: what ${folder} holds was observed at ${at} or earlier, so its clusters count as not connected: give --now ${at}, or run gitfleet observe again\n`,
  );
}

async function recordFiles(options: PlanOptions, repo: OpenedRepo): ReturnType<OpenedRepo['published']> {
  if (options.recorded === undefined) return repo.published();
  if (options.recorded === 'none') return { files: new Map() };
  return { files: await readFolder(options.recorded).catch(unreadable(options.recorded)) };
}

/** Every file of a folder as text, by path with forward slashes; dot files left out. */
export async function readFolder(root: string): Promise<Map<string, string>> {
  if (!(await stat(root)).isDirectory()) throw new CliError(`${root} is not a directory`, exitCodes.unreachable);
  const files = new Map<string, string>();
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(root, path).replaceAll('\\', '/');
    if (!name.split('/').some((part) => part.startsWith('.'))) files.set(name, await readFile(path, 'utf8'));
  }
  return files;
}
