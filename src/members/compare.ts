import type { Manifest } from '../api/meta.ts';
import type { PatchDetail } from '../api/placement.ts';

/** KubeFleet lists at most this many differences of one object. */
const mostDetails = 100;

/**
 * Where `live` differs from what `wanted` says. Partial: only fields that `wanted` names. Full: any field.
 * What the server or other tools own by convention is left out on both sides (KubeFleet work applier, "diff calculation").
 */
export function differences(wanted: Manifest, live: Manifest, comparison: 'partial' | 'full'): PatchDetail[] {
  const details: PatchDetail[] = [];
  walk(stripped(wanted), stripped(live), '', comparison, details);
  const secret = wanted.kind === 'Secret' && wanted.apiVersion === 'v1';
  return details
    .slice(0, mostDetails)
    .map((detail) => (secret && /^\/(data|stringData)(\/|$)/.test(detail.path) ? redacted(detail) : detail));
}

const redacted = (detail: PatchDetail): PatchDetail => ({
  path: detail.path,
  ...(detail.valueInMember === undefined ? {} : { valueInMember: '(redacted)' }),
  ...(detail.valueInHub === undefined ? {} : { valueInHub: '(redacted)' }),
});

function walk(wanted: unknown, live: unknown, path: string, comparison: 'partial' | 'full', out: PatchDetail[]): void {
  if (same(wanted, live)) return;
  if (isRecord(wanted) && isRecord(live)) {
    const keys = comparison === 'full' ? new Set([...Object.keys(wanted), ...Object.keys(live)]) : Object.keys(wanted);
    for (const key of [...keys].sort()) walk(wanted[key], live[key], `${path}/${pointerToken(key)}`, comparison, out);
    return;
  }
  if (Array.isArray(wanted) && Array.isArray(live) && (wanted.length === live.length || comparison === 'full')) {
    const length = Math.max(wanted.length, live.length);
    for (let index = 0; index < length; index++) walk(wanted[index], live[index], `${path}/${index}`, comparison, out);
    return;
  }
  // The server drops what is empty: an empty map wanted and nothing there is no difference.
  if (live === undefined && isEmpty(wanted)) return;
  out.push({
    path: path === '' ? '/' : path,
    ...(live === undefined ? {} : { valueInMember: text(live) }),
    ...(wanted === undefined ? {} : { valueInHub: text(wanted) }),
  });
}

const same = (a: unknown, b: unknown): boolean =>
  a === b ||
  (!isRecord(a) &&
    !Array.isArray(a) &&
    a !== undefined &&
    b !== undefined &&
    String(a) === String(b) &&
    typeof a !== 'boolean' &&
    typeof b !== 'boolean' &&
    !isRecord(b) &&
    !Array.isArray(b));
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.values(value).every(isEmpty));
const pointerToken = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const ignoredMetadata = new Set([
  'name',
  'namespace',
  'generateName',
  'finalizers',
  'managedFields',
  'ownerReferences',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'resourceVersion',
  'selfLink',
  'uid',
  'creationTimestamp',
]);
const conventional = /kubernetes\.io\/|k8s\.io\/|kubernetes-fleet\.io\/|gitfleet\.dev\//;

function stripped(object: Manifest): Record<string, unknown> {
  const { status: _, metadata, ...rest } = object;
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(metadata)) {
    if (ignoredMetadata.has(key)) continue;
    if ((key === 'labels' || key === 'annotations') && isRecord(value)) {
      const own = Object.fromEntries(Object.entries(value).filter(([name]) => !conventional.test(name)));
      if (Object.keys(own).length > 0) kept[key] = own;
    } else kept[key] = value;
  }
  return { ...rest, metadata: kept };
}
