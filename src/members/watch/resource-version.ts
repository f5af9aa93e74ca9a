/**
 * Whether one resourceVersion is newer than another. API servers use increasing numbers (guaranteed since Kubernetes 1.35, always
 * true with etcd). If one is not a number, the later received counts as newer.
 */
export function isNewer(version: unknown, than: unknown): boolean {
  if (version === than) return false;
  if (!isNumber(version) || !isNumber(than)) return true;
  return version.length === than.length ? version > than : version.length > than.length;
}

/** Whether one resourceVersion is known to be older than another: false if the server does not use numbers. */
export const isOlder = (version: unknown, than: unknown): boolean =>
  isNumber(version) && isNumber(than) && isNewer(than, version);

const isNumber = (version: unknown): version is string => typeof version === 'string' && /^[1-9]\d*$/.test(version);
