/**
 * Whether one resourceVersion comes after another. API servers number them (Kubernetes promises it since 1.35, etcd has
 * always done it); where one does not, what comes later counts as newer.
 */
export function isNewer(version: unknown, than: unknown): boolean {
  if (version === than) return false;
  if (!isNumber(version) || !isNumber(than)) return true;
  return version.length === than.length ? version > than : version.length > than.length;
}

/** Whether one resourceVersion is known to come before another: false where a server does not number them. */
export const isOlder = (version: unknown, than: unknown): boolean =>
  isNumber(version) && isNumber(than) && isNewer(than, version);

const isNumber = (version: unknown): version is string => typeof version === 'string' && /^[1-9]\d*$/.test(version);
