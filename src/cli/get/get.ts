import { matchesSelector } from '../../engine/kernel/selector.ts';
import { titleOf } from '../../repo/title-of.ts';
import { elsewhere } from '../kinds/elsewhere.ts';
import { type KindMeant, kindsMeant } from '../kinds/kinds.ts';
import type { Row } from '../kinds/listing.ts';
import { asksForPlan, refuseOfPlan, withStatusOrPlan } from '../planned/planned-status.ts';
import { noteIfBehind } from '../status/behind.ts';
import { moved } from '../status/follow.ts';
import type { Status, StatusReader } from '../status/open-status.ts';
import { CliError } from '../terminal/exit.ts';
import { splitName } from '../terminal/names.ts';
import { isCalled } from '../terminal/one-named.ts';
import { type OutputFormat, outputFormat } from '../terminal/output.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { writeError } from '../terminal/write.ts';
import { changedRows } from './row-table.ts';
import { selectorOf } from './selector.ts';
import { type GetOptions, show, showSeveral } from './show.ts';

/** Lists the objects of one or several kinds on the status branch, or shows one object. */
export async function get(word: string, name: string | undefined, options: GetOptions): Promise<void> {
  const format = outputFormat(options.output, ['table', 'wide', 'json', 'yaml', 'name']);
  const asked = splitName(word, name);
  const [kind, ...others] = kindsMeant(asked.kind, historyOf(options.history));
  const wanted = filterOf(options, [kind, ...others]);
  if (asksForPlan(options))
    refuseOfPlan(
      [kind, ...others].map(({ listing }) => listing),
      options,
    );
  if (others.length > 0) {
    if (options.watch) throw new CliError('-w follows one kind: name only one');
    const several = { kinds: [kind, ...others], name: asked.name, wanted, format, options };
    return withStatusOrPlan(options, (reader) => getSeveral(reader, several));
  }
  await withStatusOrPlan(options, async (reader) => {
    const first = await listed(reader, kind, asked.name, wanted);
    await show(first.rows, { kind, format, options, name: asked.name, single: first.isOne });
    const note = format === 'table' || format === 'wide' ? kind.listing.note?.(first.status) : undefined;
    if (note !== undefined) writeError(`note: ${note}\n`);
    await noteIfBehind(reader, first.status);
    if (!options.watch) return;
    for (let { rows, status } = first; await moved(reader, status.tip); ) {
      const next = await listed(reader, kind, undefined, wanted);
      const news = changedRows(
        rows,
        next.rows.filter((row) => asked.name === undefined || isNamed(row, asked.name)),
      );
      if (news.length > 0)
        await show(news, {
          kind,
          format,
          options: { ...options, headers: false },
          single: news.length === 1,
          like: rows,
        });
      ({ rows, status } = next);
    }
  });
}

function historyOf(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new CliError(`--history ${text} is not a number of commits: write for example 1000`);
}

function filterOf(
  { namespace, allNamespaces, selector, region }: GetOptions,
  kinds: readonly KindMeant[],
): (row: Row) => boolean {
  if (namespace !== undefined && allNamespaces) throw new CliError('-n and -A exclude each other: leave one out');
  const without = kinds.find(({ listing }) => !listing.byRegion)?.listing.names[0];
  if (region !== undefined && without !== undefined)
    throw new CliError(`--region is for versions, and ${without} have none: leave it out`);
  const labels = selector === undefined ? undefined : selectorOf(selector);
  return (row) => {
    if (namespace !== undefined && row.namespace !== namespace) return false;
    if (region !== undefined && row.region !== region) return false;
    const { metadata } = row.value as { metadata?: { labels?: Record<string, string> } };
    return labels === undefined || matchesSelector(labels, metadata?.labels);
  };
}

/** Its own name or that of the placement or cluster that it belongs to, each with or without the namespace. */
const isNamed = (row: Row, name: string): boolean => isCalled(row, name) || ofOwner(row, name);

const ofOwner = ({ placement, namespace, cluster }: Row, name: string): boolean =>
  placement === name || (namespace !== undefined && placement === titleOf({ name, namespace })) || cluster === name;

/** Rows of several kinds; a name need exist in one of them only. */
async function getSeveral(
  reader: StatusReader,
  of: {
    readonly kinds: readonly KindMeant[];
    readonly name: string | undefined;
    readonly wanted: (row: Row) => boolean;
    readonly format: OutputFormat;
    readonly options: GetOptions;
  },
): Promise<void> {
  const { kinds, name, wanted } = of;
  // All of one commit: another may be pushed meanwhile.
  const status = await reader.read([...new Set(kinds.flatMap(({ listing }) => listing.folders))]);
  const found = await Promise.all(
    kinds.map(async (kind) => ({ kind, ...(await matching(kind, { status, reader, name, wanted })) })),
  );
  if (name !== undefined && !found.some(({ kind, rows }) => mayHave({ kind, status, rows, name })))
    throw unknownRow({ kinds, status, name, rows: found.flatMap(({ all }) => all) });
  await showSeveral(found, of);
  await noteIfBehind(reader, status);
}

async function listed(reader: StatusReader, kind: KindMeant, name: string | undefined, wanted: (row: Row) => boolean) {
  const status = await reader.read(kind.listing.folders);
  const { all, rows } = await matching(kind, { status, reader, name, wanted });
  if (name !== undefined && !mayHave({ kind, status, rows, name }))
    throw unknownRow({ kinds: [kind], status, name, rows: all, instead: await elsewhere(name, reader) });
  return { status, rows, isOne: rows.length === 1 && name !== undefined && !ofOwner(rows[0]!, name) };
}

/** All rows of a kind that are wanted, and those of them that have the name. */
async function matching(
  { listing, isMeant }: KindMeant,
  of: {
    readonly status: Status;
    readonly reader: StatusReader;
    readonly name: string | undefined;
    readonly wanted: (row: Row) => boolean;
  },
) {
  const { status, reader, name, wanted } = of;
  const all = (await listing.rows(status, reader)).filter((row) => isMeant(row) && wanted(row));
  return { all, rows: name === undefined ? all : all.filter((row) => isNamed(row, name)) };
}

/** Whether rows have the name, or it is that of an owner that may have such rows. */
const mayHave = (of: {
  readonly kind: KindMeant;
  readonly status: Status;
  readonly rows: readonly Row[];
  readonly name: string;
}): boolean => of.rows.length > 0 || (of.kind.listing.owners?.(of.status).includes(of.name) ?? false);

function unknownRow(of: {
  readonly kinds: readonly KindMeant[];
  readonly status: Status;
  readonly name: string;
  readonly rows: readonly Row[];
  readonly instead?: readonly string[];
}): CliError {
  const { kinds, status, name, rows, instead = [] } = of;
  const named = kinds.filter(({ listing }) => !listing.nameless);
  const owners = kinds.flatMap(({ listing }) => listing.owners?.(status) ?? []);
  const titles = named.length === 0 ? [] : rows.map(titleOf);
  const known = [...new Set([...owners, ...titles, ...rows.flatMap(({ placement }) => placement ?? [])])];
  const what = named.length === 0 && owners.length > 0 ? ['placement'] : kinds.map(({ listing }) => listing.names[1]);
  return unknownName({ what: what.join(' or '), name, known, instead });
}
