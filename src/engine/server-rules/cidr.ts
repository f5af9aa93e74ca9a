/** A block of addresses: its first address, without the bits below the prefix. */
interface Cidr {
  readonly bits: 32 | 128;
  readonly first: bigint;
  readonly prefix: number;
}

/**
 * Reads `10.0.0.0/8` or `fd00::/8` as API servers do (k8s.io/utils/net, ParseCIDRSloppy): octets may have leading zeros, and bits
 * below the prefix may be set. Undefined: it is none.
 */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = '', digits] = /^([0-9a-fA-F:.]+)\/(\d{1,9})$/.exec(text) ?? [];
  const isV6 = address.includes(':');
  const value = isV6 ? sixteenBytes(address) : fourBytes(address);
  const [bits, prefix] = [isV6 ? 128 : 32, Number(digits)];
  if (value === undefined || prefix > bits) return undefined;
  // An IPv4 address that is written as IPv6 means the IPv4 address.
  if (isV6 && prefix >= 96 && value >> 32n === 0xffffn) return block(32, value & 0xffffffffn, prefix - 96);
  return block(isV6 ? 128 : 32, value, prefix);
}

export const isAddress = (text: string): boolean => parseCidr(`${text}/0`) !== undefined;

/** Whether a block has only addresses of another one, and not all of them. */
export const isWithin = (inner: Cidr, outer: Cidr): boolean =>
  inner.bits === outer.bits &&
  inner.prefix > outer.prefix &&
  block(outer.bits, inner.first, outer.prefix).first === outer.first;

function block(bits: Cidr['bits'], value: bigint, prefix: number): Cidr {
  const free = BigInt(bits - prefix);
  return { bits, first: (value >> free) << free, prefix };
}

function fourBytes(text: string): bigint | undefined {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => /^\d{1,9}$/.test(octet) && Number(octet) <= 255))
    return undefined;
  return octets.reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
}

function sixteenBytes(text: string): bigint | undefined {
  const end = text.slice(text.lastIndexOf(':') + 1);
  const v4 = end.includes('.') ? fourBytes(end) : 0n;
  if (v4 === undefined) return undefined;
  const whole = end.includes('.')
    ? `${text.slice(0, -end.length)}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`
    : text;
  const halves = whole.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [head = [], tail] = halves;
  const left = 8 - head.length - (tail?.length ?? 0);
  if (halves.length > 2 || (tail === undefined ? left !== 0 : left < 1)) return undefined;
  const groups = [...head, ...Array<string>(left).fill('0'), ...(tail ?? [])];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
}
