/** A node image of a family, the operating system and its variant. Images of one family can be compared. */
export interface NodeImage {
  readonly family: string;
  /** Ascending within a family, left to right. */
  readonly version: readonly number[];
  /** Year, month and day of the security patch, where there is one. */
  readonly patched: readonly number[] | undefined;
  /** As it was written. */
  readonly text: string;
}

/**
 * Reads `<family>-<version>`: `AKSUbuntu-2204gen2containerd-202405.27.0`, the older `…-2022.12.13`, with the date of a security
 * patch `…-202410.27.0-2024.12.01`, and of Windows `AKSWindows-2022-containerd-20348.3207.250214`. Undefined for anything else:
 * such an image can only be equal to another.
 */
export function parseNodeImage(text: string): NodeImage | undefined {
  const patched = /^(.+)-(\d{4}\.\d{2}\.\d{2})$/.exec(text);
  // Where no version remains without it, the date is the version itself.
  const base = patched?.[1] === undefined ? undefined : splitImage(patched[1]);
  if (base) return { ...base, patched: numbersOf(patched![2]!), text };
  const whole = splitImage(text);
  return whole && { ...whole, patched: undefined, text };
}

/** Below 0 where `a` is older than `b`; undefined where they are of different families. Without a security patch comes before with one. */
export function compareNodeImages(a: NodeImage, b: NodeImage): number | undefined {
  if (a.family !== b.family) return undefined;
  return compareNumbers(a.version, b.version) || compareNumbers(a.patched ?? [], b.patched ?? []);
}

/** Whether an image is the wanted one or past it, of the same family. */
export const reachesImage = (image: NodeImage, wanted: NodeImage): boolean =>
  (compareNodeImages(image, wanted) ?? -1) >= 0;

function splitImage(text: string): Pick<NodeImage, 'family' | 'version'> | undefined {
  const match = /^(.+)-(\d+(?:\.\d+)+)$/.exec(text);
  return match ? { family: match[1]!, version: versionKey(match[2]!) } : undefined;
}

/** YYYY.MM.DD, the older form, is (YYYYMM, DD, 0), as the later form YYYYMM.DD.rev has it. */
function versionKey(version: string): readonly number[] {
  const date = /^(\d{4})\.(\d{2})\.(\d{2})$/.exec(version);
  return date ? [Number(`${date[1]}${date[2]}`), Number(date[3]), 0] : numbersOf(version);
}

const numbersOf = (dotted: string): number[] => dotted.split('.').map(Number);

/** Left to right; a number that is missing counts as 0. */
function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
