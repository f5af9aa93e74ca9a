/** A set of rows of a fleet, one bit each. Bits beyond the fleet's size are always zero. */
export type Bits = Uint32Array;

/** The empty set of a fleet of `size` clusters. */
export const noRows = (size: number): Bits => new Uint32Array((size + 31) >>> 5);

/** All rows of a fleet of `size` clusters. */
export function everyRow(size: number): Bits {
  const bits = noRows(size).fill(0xffffffff);
  if ((size & 31) !== 0) bits[bits.length - 1] = 0xffffffff >>> (32 - (size & 31));
  return bits;
}

/** `row`: from 0 to below the size that the bits were made with. */
export const hasRow = (bits: Bits, row: number): boolean => ((bits[row >>> 5]! >>> (row & 31)) & 1) === 1;

/** Adds one row in place: sets are filled while they are built, and shared only afterwards. */
export function addRow(bits: Bits, row: number): void {
  bits[row >>> 5]! |= 1 << (row & 31);
}

/** Removes one row in place. */
export function removeRow(bits: Bits, row: number): void {
  bits[row >>> 5]! &= ~(1 << (row & 31));
}

/** Keeps in `target` only the rows that are in both. */
export function keepRows(target: Bits, other: Bits): void {
  for (let word = 0; word < target.length; word++) target[word]! &= other[word]!;
}

/** Adds the rows of `other` to `target`. */
export function addRows(target: Bits, other: Bits): void {
  for (let word = 0; word < target.length; word++) target[word]! |= other[word]!;
}

/** Removes the rows of `other` from `target`. */
export function removeRows(target: Bits, other: Bits): void {
  for (let word = 0; word < target.length; word++) target[word]! &= ~other[word]!;
}

/** The rows of the set in ascending order, at most `limit`. */
export function listRows(bits: Bits, limit = Number.POSITIVE_INFINITY): number[] {
  const rows = new Array<number>(Math.max(0, Math.min(limit, countRows(bits))));
  let at = 0;
  for (let word = 0; at < rows.length; word++) {
    for (let rest = bits[word]!; rest !== 0 && at < rows.length; rest &= rest - 1) {
      rows[at++] = (word << 5) + 31 - Math.clz32(rest & -rest);
    }
  }
  return rows;
}

/** How many rows the set has. */
function countRows(bits: Bits): number {
  let count = 0;
  for (let word = 0; word < bits.length; word++) {
    // Adds up neighbouring bits, then pairs, then groups of four; the product adds up the bytes.
    let rest = bits[word]!;
    rest -= (rest >>> 1) & 0x55555555;
    rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
    count += Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}
