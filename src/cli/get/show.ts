import { titleOf } from '../../repo/title-of.ts';
import type { KindMeant } from '../kinds/kinds.ts';
import type { Row } from '../kinds/listing.ts';
import { asksForPlan, type MaybePlanOptions } from '../planned/planned-status.ts';
import type { StatusOptions } from '../status/open-status.ts';
import { type OutputFormat, print, printJson, printYaml } from '../terminal/output.ts';
import { writeError } from '../terminal/write.ts';
import { rowTable } from './row-table.ts';

export interface GetOptions extends StatusOptions, MaybePlanOptions {
  readonly output: string;
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly region?: string;
  readonly headers: boolean;
  readonly watch?: boolean;
  readonly history: string;
}

interface RowsHow {
  readonly kind: KindMeant;
  readonly format: OutputFormat;
  readonly options: Pick<GetOptions, 'namespace' | 'selector' | 'region' | 'headers'> & MaybePlanOptions;
  /** The requested name. */
  readonly name?: string | undefined;
  /** Rows that were printed before: columns keep their width. */
  readonly like?: readonly Row[];
  /** Other kinds are printed too: names have the kind as prefix. */
  readonly ofSeveral?: boolean;
}

/** Prints rows of one kind, or one whole object. Without rows, a message on stderr. */
export async function show(rows: readonly Row[], how: RowsHow & { readonly single: boolean }): Promise<void> {
  const { kind, format } = how;
  if (format === 'json' || format === 'yaml') return showValues(rows, format, how.single);
  if (rows.length > 0) return print(rowsText(rows, how));
  const { names, none } = kind.listing;
  const { name, options } = how;
  const { namespace, selector, region } = options;
  const all = [name, namespace, selector, region].every((given) => given === undefined);
  const of = name === undefined ? '' : ` of ${name}`;
  writeError(`${(all && none) || `No ${names[0]}${of} ${whereOf(options)}.`}\n`);
}

/** Where no rows were found. */
const whereOf = ({ namespace, selector, ...options }: RowsHow['options']): string =>
  [
    ...(namespace === undefined ? [] : [`in namespace ${namespace}`]),
    ...(selector === undefined ? [] : [`with ${selector}`]),
    asksForPlan(options) ? 'in the plan' : 'on the status branch',
  ].join(' ');

/** As kubectl does: one list, or a table for each kind with rows, whose names have the kind as prefix. */
export async function showSeveral(
  found: readonly { readonly kind: KindMeant; readonly rows: readonly Row[] }[],
  { format, options }: Pick<RowsHow, 'format' | 'options'>,
): Promise<void> {
  if (format === 'json' || format === 'yaml')
    return showValues(
      found.flatMap(({ rows }) => rows),
      format,
      false,
    );
  const filled = found.filter((one) => one.rows.length > 0);
  if (filled.length === 0) {
    const names = found.map(({ kind }) => kind.listing.names[0]);
    writeError(`No ${names.join(', ')} ${whereOf(options)}.\n`);
    return;
  }
  const between = format === 'name' ? '\n' : '\n\n';
  print(filled.map((one) => rowsText(one.rows, { kind: one.kind, format, options, ofSeveral: true })).join(between));
}

async function showValues(rows: readonly Row[], format: 'json' | 'yaml', single: boolean): Promise<void> {
  const values = rows.map(({ value }) => value);
  const whole = single ? values[0] : { apiVersion: 'v1', kind: 'List', items: values };
  return format === 'json' ? printJson(whole) : printYaml(whole);
}

function rowsText(rows: readonly Row[], { kind, format, options, like, ofSeveral }: RowsHow): string {
  const singular = kind.listing.names[1];
  if (format === 'name') return rows.map((row) => `${singular}/${titleOf(row)}`).join('\n');
  return rowTable(ofSeveral ? rows.map((row) => ({ ...row, name: `${singular}/${row.name}` })) : rows, {
    wide: format === 'wide',
    headers: options.headers,
    nameless: (kind.listing.nameless || (kind.listing.isNamedByColumns && !ofSeveral)) ?? false,
    namespaces: options.namespace === undefined,
    ...(like ? { like } : {}),
  });
}
