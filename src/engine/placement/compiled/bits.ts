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

export const hasRow = (bits: Bits, row: number): boolean => ((bits[row >>> 5]! >>> (row & 31)) & 1) === 1;

/** Adds one row in place: sets are filled while they are made, and shared only afterwards. */
export function addRow(bits: Bits, row: number): void {
  bits[row >>> 5]! |= 1 << (row & 31);
}

/** Takes one row out in place. */
export function removeRow(bits: Bits, row: number): void {
  bits[row >>> 5]! &= ~(1 << (row & 31));
}

/** `target` becomes what is in both. */
export function keepRows(target: Bits, other: Bits): void {
  for (let word = 0; word < target.length; word++) target[word]! &= other[word]!;
}

/** `target` becomes what is in either. */
export function addRows(target: Bits, other: Bits): void {
  for (let word = 0; word < target.length; word++) target[word]! |= other[word]!;
}

/** `target` loses what is in `other`. */
export function removeRows(target: Bits, other: Bits): void {
  for (let word = 0; word < target.length; word++) target[word]! &= ~other[word]!;
}

/** The rows of the set in ascending order, at most `limit`. */
export function listRows(bits: Bits, limit = Number.POSITIVE_INFINITY): number[] {
  const rows: number[] = [];
  for (let word = 0; word < bits.length; word++) {
    let rest = bits[word]!;
    while (rest !== 0) {
      if (rows.length >= limit) return rows;
      const low = rest & -rest;
      rows.push((word << 5) + 31 - Math.clz32(low));
      rest ^= low;
    }
  }
  return rows;
}
