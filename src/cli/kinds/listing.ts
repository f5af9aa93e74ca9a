import type { Condition, ObjectMeta } from '../../api/meta.ts';
import type { ApplyStrategy, Placement } from '../../api/placement.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { conditionOf } from '../../report/condition-of.ts';
import { byName } from '../status/known-placements.ts';
import type { Status, StatusReader } from '../status/open-status.ts';
import { age } from '../terminal/age.ts';
import { objectText } from './page-text.ts';

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
  /** An object of gitfleet among KubeFleet's objects of the kind; KubeFleet's names do not include it. */
  readonly isOurs?: boolean;
  readonly region?: string | undefined;
  /** The cluster that it belongs to, only of kinds that `isOfClusters`: naming that lists all of it. */
  readonly cluster?: string;
  readonly value: object;
  /** What only `describe` shows of it, in addition to `value`. */
  readonly details: (status: Status) => Promise<object>;
  readonly cells: readonly { readonly heading: string; readonly wide: boolean; readonly cell: Cell }[];
  /** The page that `describe` shows, one part each. */
  readonly page: (status: Status) => Promise<readonly string[]>;
  /** What it waits for, and why; one line each. */
  readonly waits: (status: Status) => readonly string[];
  /** What it has instead of the conditions of its status. */
  readonly conditions: readonly Condition[] | undefined;
  /** Its conditions are final: it is carried out once. */
  readonly isOver: boolean;
  /** The placement that it is, or is a part of, with the ways in which it is applied; only of kinds that `isPlaced`. */
  readonly placed?: PlacedBy | undefined;
}

export interface PlacedBy {
  readonly placement: Placement;
  readonly applyStrategies: readonly ApplyStrategy[];
}

/** A kind of objects as `get` lists, `describe` shows and `wait` waits for them. */
export interface Listing {
  /** What people call the kind; the first is the plural, the second the singular. */
  readonly names: readonly [plural: string, singular: string, ...others: string[]];
  /** KubeFleet's names of the cluster-scoped and of the namespaced half of the kind. */
  readonly clusterNames?: readonly string[];
  readonly namespacedNames?: readonly string[];
  /** Types of its conditions, without the prefix of placements. Absent = it has none. */
  readonly conditionTypes?: readonly string[];
  /** A file that cannot be read may have a part of it, as it places resources. */
  readonly isPlaced?: boolean;
  /** Top folders of the status branch that it is read from. */
  readonly folders: readonly string[];
  /** Its items stand in regions: `--region` chooses among them. */
  readonly byRegion?: boolean;
  /** Its items have no names of their own. */
  readonly nameless?: boolean;
  /** Columns say the name: the table has no NAME. */
  readonly isNamedByColumns?: boolean;
  /** What a plan knows of it without a status branch; it belongs to clusters, by `--cluster` or by name. */
  readonly isOfClusters?: boolean;
  /** Placements, `name` or `namespace/name`, that may have such rows: their names are valid also when they have none. */
  readonly owners?: (status: Status) => readonly string[];
  /** The message when there are no rows; default: that there are none on the status branch. */
  readonly none?: string;
  /** What the table of its rows does not show, and how to see it; for stderr. */
  readonly note?: (status: Status) => string | undefined;
  readonly rows: (status: Status, reader: StatusReader) => Promise<readonly Row[]>;
}

/** Conditions of the delivery, of a placement and of a binding. */
export const deliveryConditions = [
  'RolloutStarted',
  'Overridden',
  'WorkSynchronized',
  'Applied',
  'Available',
  'DiffReported',
] as const;

/** Builds the listing of a kind from its items, their identity and printer columns. */
export function listing<T>(
  of: Omit<Listing, 'rows'> & {
    readonly columns: readonly Column<T>[];
    readonly items: (status: Status, reader: StatusReader) => readonly T[] | Promise<readonly T[]>;
    readonly describe: (
      item: T,
    ) => Pick<Row, 'name' | 'namespace' | 'placement' | 'isOurs' | 'region' | 'cluster' | 'value'>;
    readonly details?: (item: T, status: Status, reader: StatusReader) => object | Promise<object>;
    /** Absent = the object as it is. */
    readonly page?: (item: T, status: Status, reader: StatusReader) => readonly string[] | Promise<readonly string[]>;
    readonly waits?: (item: T, status: Status) => readonly string[];
    /** Absent = those of its status. */
    readonly conditions?: (item: T) => readonly Condition[] | undefined;
    readonly isOver?: (item: T) => boolean;
    readonly placedBy?: (item: T) => PlacedBy | undefined;
    /** Items are in an order that means something; otherwise rows are sorted by namespace and name. */
    readonly ordered?: boolean;
  },
): Listing {
  const { columns, items, describe, details, ordered, page, waits, conditions, isOver, placedBy, ...rest } = of;
  return {
    ...rest,
    async rows(status, reader) {
      const rows = (await items(status, reader)).map((item): Row => {
        const described = describe(item);
        return {
          ...described,
          details: async (now) => (await details?.(item, now, reader)) ?? {},
          page: async (now) => (await page?.(item, now, reader)) ?? [objectText(described.value)],
          waits: (now) => waits?.(item, now) ?? [],
          conditions: conditions?.(item),
          isOver: isOver?.(item) ?? false,
          placed: placedBy?.(item),
          cells: columns.map(({ heading, wide, cell }) => ({
            heading,
            wide: wide ?? false,
            cell: cell(item, status.now),
          })),
        };
      });
      return ordered ? rows : rows.sort(byName);
    },
  };
}

/** True, False or Unknown, as a cell; nothing where there is no such condition. */
export const statusOf = (conditions: readonly Condition[] | undefined, type: string): Cell =>
  conditionOf(conditions, type)?.status;

/** Age since the creation if that is known, else since the earliest of `times`. */
export function ageOf(metadata: ObjectMeta | undefined, times: readonly (string | undefined)[], now: number): Cell {
  const known = (metadata?.creationTimestamp ? [metadata.creationTimestamp] : times).flatMap((time) =>
    time === undefined ? [] : (parseInstant(time) ?? []),
  );
  return known.length === 0 ? undefined : age(Math.min(...known), now);
}

/** Transition times of conditions. */
export const timesOf = (conditions: readonly Condition[] | undefined): readonly (string | undefined)[] =>
  (conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime);
