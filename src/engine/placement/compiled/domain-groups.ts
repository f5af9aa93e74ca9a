import type { LabelColumn } from './columns.ts';

/** Clusters that are in the same domain for every constraint: topology spread treats them alike. */
export interface DomainGroups {
  readonly columns: readonly LabelColumn[];
  /** Group of each row. */
  readonly groupOf: Int32Array;
  /** Per group the domain (a code of the column, -1 without the label) for each constraint. */
  readonly domains: readonly Int32Array[];
}

/** Groups the `size` rows of a fleet by their values in all `columns`, one column a constraint. */
export function groupDomains(size: number, columns: readonly LabelColumn[]): DomainGroups {
  let groupOf = new Int32Array(size);
  for (const { codes } of columns) {
    const refined = new Map<number, number>();
    const width = size + 1;
    groupOf = groupOf.map((group, row) => {
      const key = group * width + codes[row]! + 1;
      const known = refined.get(key);
      if (known === undefined) refined.set(key, refined.size);
      return known ?? refined.size - 1;
    });
  }
  const domains: Int32Array[] = [];
  groupOf.forEach((group, row) => {
    domains[group] ??= Int32Array.from(columns, ({ codes }) => codes[row]!);
  });
  return { columns, groupOf, domains };
}
