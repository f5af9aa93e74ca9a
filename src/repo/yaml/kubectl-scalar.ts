/**
 * What kubectl makes of a plain scalar: a YAML 1.1 reading by Go's yaml.v2, which sigs.k8s.io/yaml turns into JSON.
 * The table in test/repo/yaml/kubectl-scalar.test.ts was recorded from `kubectl label --local` 1.32.4.
 */
export function kubectlReads(source: string): string | number | boolean | null {
  const word = words.get(source);
  if (word !== undefined) return word;
  if (!/^[-+.\d]/.test(source)) return source;
  const digits = source.replaceAll('_', '');
  const integer = /^([-+]?)0([xXbBoO]?)([\da-fA-F]+)$/.exec(digits);
  if (integer) {
    const [, sign, letter, body] = integer as unknown as [string, string, string, string];
    const radix = radixes[letter.toLowerCase() as keyof typeof radixes];
    if (radix.digits.test(body)) return (sign === '-' ? -1 : 1) * Number.parseInt(body, radix.base);
  }
  return decimal.test(digits) && Number.isFinite(Number(digits)) ? Number(digits) : source;
}

const radixes = {
  x: { base: 16, digits: /^[\da-fA-F]+$/ },
  b: { base: 2, digits: /^[01]+$/ },
  o: { base: 8, digits: /^[0-7]+$/ },
  '': { base: 8, digits: /^[0-7]+$/ },
} as const;

const decimal = /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/;

const words: ReadonlyMap<string, boolean | number | null> = new Map<string, boolean | number | null>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
]);
