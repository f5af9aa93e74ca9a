/** Where refs of a server point: under prefixes that end in a slash, or of exactly a name. */
export type ListRefs = (prefixes: readonly string[]) => Promise<Map<string, string>>;

/** Whether what was asked for means this ref. */
export const covers = (prefix: string, ref: string): boolean =>
  prefix.endsWith('/') ? ref.startsWith(prefix) : ref === prefix;
