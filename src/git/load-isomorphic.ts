/**
 * Loads isomorphic-git on demand: with a git binary, a daemon on a local or an ssh repository never needs it, and it takes 20 MB
 * with its dependencies.
 */
export const loadIsomorphic = async () => (await import('isomorphic-git')).default;
