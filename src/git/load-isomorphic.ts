/**
 * isomorphic-git, when it is needed: where there is a git binary a daemon on a local or an ssh repository never is in need of it,
 * and it takes 20 MB with all it brings along.
 */
export const loadIsomorphic = async () => (await import('isomorphic-git')).default;
