import { messageOf } from '../../api/message-of.ts';
import { parseDuration } from '../../engine/kernel/duration.ts';
import { resolveCommit } from '../../git/resolve-commit.ts';
import { titleOf } from '../../repo/title-of.ts';
import { wholeSeconds } from '../../report/whole-seconds.ts';
import { elsewhere } from '../kinds/elsewhere.ts';
import { singularsOf } from '../kinds/kind-words.ts';
import { type KindMeant, kindMeant } from '../kinds/kinds.ts';
import type { Row } from '../kinds/listing.ts';
import { fleetAsPlanned } from '../status/fleet-as-planned.ts';
import { moved } from '../status/follow.ts';
import { lastGoodReason } from '../status/last-good.ts';
import { type Status, type StatusOptions, type StatusReader, withStatus } from '../status/open-status.ts';
import { desiredTip, isPlannedFrom, missingCommit } from '../status/planned-from.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { splitName } from '../terminal/names.ts';
import { isCalled } from '../terminal/one-named.ts';
import { print } from '../terminal/output.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { writeError } from '../terminal/write.ts';
import { isInNoFile, notCreated, whyUnknown } from './not-in-effect.ts';
import { needsAllClusters, notBrought, type Verdict, verdictOf, verdictOnAll } from './verdict.ts';
import { parseWaitedFor, type WaitedFor } from './waited-for.ts';

export interface WaitOptions extends StatusOptions {
  readonly for: string;
  readonly timeout: string;
  readonly namespace?: string;
  readonly branch: string;
  readonly commit?: string;
  /** A placement on fewer clusters than its policy requires is enough. */
  readonly partial?: boolean;
}

/**
 * Waits until objects of the status branch have a condition, or are gone. A status of an older commit than the tip of the branch
 * of desired state at the start does not count: `git push && gitfleet wait …` waits for the push. Exit code 1 on timeout, with
 * what is missing and what it waits for; also at once when the condition can no longer come: the object has its final
 * conditions, its apply strategy rules the condition out, its file is not valid and an earlier version stays in effect, or no update
 * run brings what the commit holds.
 */
export async function wait(word: string, givenName: string | undefined, options: WaitOptions): Promise<void> {
  const asked = splitName(word, givenName);
  const kind = kindMeant(asked.kind, undefined, singularsOf('awaited'));
  const waitedFor = parseWaitedFor(options.for, kind.listing);
  if (options.partial && !needsAllClusters(kind.listing, waitedFor))
    throw new CliError(`--partial is for conditions of placements on their clusters, as --for=Available: leave it out`);
  const ms = parseDuration(options.timeout);
  if (ms === undefined)
    throw new CliError(`--timeout ${options.timeout} is not a duration: write for example 30s, 5m or 1h`);
  const deadline = Date.now() + ms;
  await withStatus(options, async (reader) => {
    const since = await commitMeant(reader, options);
    await firstStatus(reader, options, deadline);
    for (;;) {
      const { met, missing, tip } = await look({ reader, kind, name: asked.name, waitedFor, since, options });
      if (missing.length === 0) return print(met.join('\n'));
      const never = missing.filter(({ willNotCome }) => willNotCome);
      if (never.length > 0)
        throw new CliError(
          `the wait cannot succeed:\n${never.map(({ line }) => `  ${line}`).join('\n')}`,
          exitCodes.somethingToDo,
        );
      if (!(await moved(reader, tip, deadline)))
        throw new CliError(
          [
            `timed out after ${options.timeout}, still missing:`,
            ...(await missingLines(missing, reader, kind)),
            ...(missing.some(({ isPartial }) => isPartial) ? [acceptPartial] : []),
          ].join('\n'),
          exitCodes.somethingToDo,
        );
    }
  });
}

const acceptPartial = 'With --partial the wait ends once the condition is met on the clusters that were found.';

/** What is missing on timeout, each with what it waits for. Reads the status again, with the folders that only this needs. */
async function missingLines(
  missing: readonly Missing[],
  reader: StatusReader,
  { listing }: KindMeant,
): Promise<string[]> {
  const status = await reader.read([...new Set([...listing.folders, ...foldersOfReasons])]);
  return missing.flatMap(({ line, row }) => {
    const reasons = (row?.waits(status) ?? []).map(wholeSeconds);
    const rest = reasons.length - mostReasons;
    return [
      `  ${line}`,
      ...reasons.slice(0, mostReasons).map((reason) => `    ${reason}`),
      ...(rest > 0 ? [`    … and ${rest} more`] : []),
    ];
  });
}

/** Top folders of the status branch that the reasons are read from. */
const foldersOfReasons: readonly string[] = ['placements', 'runs'];

/** Reasons of one object that a terminal shows. */
const mostReasons = 10;

interface Missing {
  readonly line: string;
  /** The object without the condition; absent where there is none. */
  readonly row?: Row;
  /** Waiting longer is useless. */
  readonly willNotCome?: boolean;
  /** Met on the clusters that were found. */
  readonly isPartial?: boolean;
}

/** Waits for a first status, as right after the daemon was started. */
async function firstStatus(
  reader: StatusReader,
  { statusBranch, timeout }: WaitOptions,
  deadline: number,
): Promise<void> {
  if ((await reader.tip()) !== undefined) return;
  writeError(`note: ${reader.branches.name} has no branch ${statusBranch} yet: gitfleet run creates it\n`);
  if (await moved(reader, undefined, deadline)) return;
  throw new CliError(`timed out after ${timeout}, still missing:\n  a first status`, exitCodes.somethingToDo);
}

/** The commit that the status must include; undefined for any. */
async function commitMeant(
  { branches }: StatusReader,
  { commit, branch }: Pick<WaitOptions, 'commit' | 'branch'>,
): Promise<string | undefined> {
  if (commit === 'any') return undefined;
  if (commit !== undefined)
    return resolveCommit(branches, commit).catch((error: unknown) => {
      throw new CliError(`--commit ${commit}: ${messageOf(error)}`);
    });
  return desiredTip(branches, branch);
}

async function look(of: {
  readonly reader: StatusReader;
  readonly kind: KindMeant;
  readonly name: string | undefined;
  readonly waitedFor: WaitedFor;
  readonly since: string | undefined;
  readonly options: WaitOptions;
}): Promise<{ readonly met: string[]; readonly missing: readonly Missing[]; readonly tip: string }> {
  const { reader, kind, name, waitedFor, since, options } = of;
  const { listing, isMeant } = kind;
  const status = await reader.read([...new Set([...listing.folders, 'runs'])]);
  const { tip } = status;
  if (since !== undefined && !(await isPlannedFrom(reader.branches, status, since)))
    return { met: [], missing: [{ line: await missingCommit(reader.branches, status, since) }], tip };
  const all = (await listing.rows(status, reader)).filter(
    (row) => isMeant(row) && (options.namespace === undefined || row.namespace === options.namespace),
  );
  const rows = all.filter((row) => name === undefined || isCalled(row, name));
  const singular = listing.names[1];
  const noneNamed = async (wanted: string): Promise<CliError> =>
    unknownName({ what: singular, name: wanted, known: all.map(titleOf), instead: await elsewhere(wanted, reader) });
  const unknown = since === undefined ? [] : whyUnknown(status, listing, name);
  if (unknown.length > 0) {
    const fleet = rows.length === 0 && name !== undefined ? await fleetAsPlanned(status, reader) : undefined;
    if (fleet && isInNoFile(fleet, kind, name!) && waitedFor.kind !== 'delete') throw await noneNamed(name!);
    return { met: [], missing: unknown, tip };
  }
  const titles = rows.map((row) => `${singular}/${titleOf(row)}`);
  if (waitedFor.kind === 'delete')
    return {
      met: [`${singular}${name === undefined ? 's' : `/${name}`} deleted`],
      missing: rows.map((row, at) => ({ line: `${titles[at]!} still exists`, row })),
      tip,
    };
  const absent =
    since === undefined ? [] : notCreated(status, kind, { name, namespace: options.namespace, there: rows });
  if (rows.length === 0 && name !== undefined && absent.length === 0) throw await noneNamed(name);
  const isOnClusters = needsAllClusters(listing, waitedFor);
  const isOfAll = !options.partial && isOnClusters;
  const verdicts = rows.map((row, at): Verdict => {
    const stays = since === undefined ? undefined : lastGoodOf(status, row);
    if (stays !== undefined) return { missing: `${titles[at]!}: ${stays}`, willNotCome: true };
    const brings = since !== undefined && isOnClusters ? notBrought(row, titles[at]!, status) : undefined;
    if (brings !== undefined) return brings;
    return (isOfAll ? verdictOnAll : verdictOf)(row, titles[at]!, waitedFor);
  });
  return {
    met: verdicts.map(({ met }, at) => met ?? titles[at]!),
    missing: [
      ...(rows.length === 0 && absent.length === 0 ? [{ line: `any ${singular}` }] : []),
      ...absent.map((line) => ({ line, willNotCome: true })),
      ...verdicts.flatMap(({ missing, willNotCome = false, isPartial = false }, at): Missing[] =>
        missing === undefined ? [] : [{ line: missing, row: rows[at]!, willNotCome, isPartial }],
      ),
    ],
    tip,
  };
}

function lastGoodOf(status: Status, { value, name, namespace, placed }: Row): string | undefined {
  const { kind } = value as { readonly kind?: string };
  return lastGoodReason(status, {
    ...(kind !== undefined && { object: { kind, name, namespace } }),
    placement: placed?.placement,
  });
}
