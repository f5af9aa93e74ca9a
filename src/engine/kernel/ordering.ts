/** Order of two strings by UTF-16 code unit, which for Kubernetes names is byte order. Never locale dependent. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Comparator for `.sort` by a text key. */
export const by =
  <T>(key: (item: T) => string) =>
  (a: T, b: T): number =>
    byText(key(a), key(b));
