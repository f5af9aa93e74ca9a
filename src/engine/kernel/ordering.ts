/** Order of two strings by UTF-16 code unit, which for Kubernetes names is byte order. Never locale dependent. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Comparator for `.sort` by a text key. */
export const by =
  <T>(key: (item: T) => string) =>
  (a: T, b: T): number =>
    byText(key(a), key(b));

/**
 * Sort key of several texts, the most significant first. The separator sorts before every character of a name, so that `eu`
 * comes before `eu-1`, whatever follows.
 */
export const sortKey = (...parts: readonly string[]): string => parts.join('\0');
