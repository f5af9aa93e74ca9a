import type { Condition, ObjectMeta } from '../../api/meta.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { conditionOf } from '../../report/condition-of.ts';
import { age } from '../terminal/age.ts';
import type { Status, StatusReader } from './open-status.ts';

export type Cell = string | number | undefined;

/** A column of a table; `wide` ones show with `-o wide` only, in their place, as kubectl has it. */
export interface Column<T> {
  readonly heading: string;
  readonly wide?: boolean;
  readonly cell: (item: T, now: number) => Cell;
}

/** One listed thing: its columns for a table, the whole of it for `-o json` and `-o yaml`. */
export interface Row {
  readonly name: string;
  readonly namespace?: string | undefined;
  /** The placement that it belongs to, `name` or `namespace/name`: naming that lists all of it. */
  readonly placement?: string;
  /** Listed beside KubeFleet's objects of the kind, whose names do not mean it. */
  readonly isOurs?: boolean;
  readonly value: object;
  /** What it was made from, for a page about it. */
  readonly item: unknown;
  readonly cells: readonly { readonly heading: string; readonly wide: boolean; readonly cell: Cell }[];
}

export interface Listing {
  /** What people call the kind; the first is the plural, the second the singular. */
  readonly names: readonly [plural: string, singular: string, ...others: string[]];
  /** KubeFleet's names of the cluster-scoped and of the namespaced half of the kind. */
  readonly clusterNames?: readonly string[];
  readonly namespacedNames?: readonly string[];
  /** Top folders of the status branch that it is read from. */
  readonly folders: readonly string[];
  /** Its items have no names of their own worth a column. */
  readonly nameless?: boolean;
  /** Placements, `name` or `namespace/name`, that may have some: naming one lists what there is of it, be it nothing. */
  readonly owners?: (status: Status) => readonly string[];
  /** What is said where there are none; otherwise that there are none on the status branch. */
  readonly none?: string;
  readonly rows: (status: Status, reader: StatusReader) => Promise<readonly Row[]>;
}

/** Makes a listing of a kind from what a reader of KubeFleet's code finds there: items, identity, printer columns. */
export function listing<T>(
  of: Omit<Listing, 'rows'> & {
    readonly columns: readonly Column<T>[];
    readonly items: (status: Status, reader: StatusReader) => readonly T[] | Promise<readonly T[]>;
    readonly describe: (item: T) => Omit<Row, 'cells' | 'item'>;
    /** Items are in an order that means something; otherwise rows are sorted by namespace and name. */
    readonly ordered?: boolean;
  },
): Listing {
  const { columns, items, describe, ordered, ...rest } = of;
  return {
    ...rest,
    async rows(status, reader) {
      const rows = (await items(status, reader)).map(
        (item): Row => ({
          ...describe(item),
          item,
          cells: columns.map(({ heading, wide, cell }) => ({
            heading,
            wide: wide ?? false,
            cell: cell(item, status.now),
          })),
        }),
      );
      return ordered ? rows : rows.sort(byName);
    },
  };
}

type Named = Pick<Row, 'name' | 'namespace'>;
/** Order of rows: by namespace, those without one first, then by name. */
export const byName = (a: Named, b: Named): number => {
  const [x, y] = [a, b].map(({ name, namespace }) => `${namespace ?? ''}/${name}`) as [string, string];
  return x < y ? -1 : x > y ? 1 : 0;
};

/** True, False or Unknown, as a cell; nothing where there is no such condition. */
export const statusOf = (conditions: readonly Condition[] | undefined, type: string): Cell =>
  conditionOf(conditions, type)?.status;

/** Since its creation where that is known, else since the first thing that is known of it. */
export function ageOf(metadata: ObjectMeta | undefined, times: readonly (string | undefined)[], now: number): Cell {
  const known = (metadata?.creationTimestamp ? [metadata.creationTimestamp] : times).flatMap((time) =>
    time === undefined ? [] : (parseInstant(time) ?? []),
  );
  return known.length === 0 ? undefined : age(Math.min(...known), now);
}

/** Since when conditions are as they are. */
export const timesOf = (conditions: readonly Condition[] | undefined): readonly (string | undefined)[] =>
  (conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime);
