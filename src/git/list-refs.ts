/** Where refs of a server point: those under prefixes that end in a slash, or with exactly that name. */
export type ListRefs = (prefixes: readonly string[]) => Promise<Map<string, string>>;

/** Whether a prefix or name covers this ref. */
export const covers = (prefix: string, ref: string): boolean =>
  prefix.endsWith('/') ? ref.startsWith(prefix) : ref === prefix;
