import type { Manifest } from '../../api/meta.ts';
import type { PatchDetail } from '../../api/placement.ts';
import { shownDetails } from '../../engine/bindings/conditions/patch-details.ts';
import { pointerToken, pointerTokens } from '../../engine/kernel/json-pointer.ts';
import { digestAnnotation } from '../../engine/overrides/ownership.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { withTextsAsData } from './secret-data.ts';

/**
 * All differences between `live` and `wanted`, as KubeFleet reports them: without fields that the server or other tools own by
 * convention, at most 100, values of Secrets redacted (KubeFleet work applier, diff calculation).
 */
export function differences(wanted: Manifest, live: Manifest): PatchDetail[] {
  return shownDetails(
    { ...groupVersionOf(wanted.apiVersion), kind: wanted.kind },
    walked(asReported(wanted), asReported(live), 'full'),
  );
}

/**
 * The part of local differences that reports of repairs may show: as in `differences`, plus labels and annotations that
 * `manifest` has. Without our digest annotation.
 */
export const reportable = (manifest: Manifest, details: readonly PatchDetail[]): PatchDetail[] =>
  shownDetails(
    { ...groupVersionOf(manifest.apiVersion), kind: manifest.kind },
    details.filter(({ path }) => {
      const [metadata, map = '', key = ''] = pointerTokens(path);
      if (metadata !== 'metadata' || !isKeyed(map) || !conventional.test(key)) return true;
      return key !== digestAnnotation && manifest.metadata[map]?.[key] !== undefined;
    }),
  );

/**
 * Fields of `wanted` that `live` lacks or has otherwise (`partial`), or all differing fields (`full`). Includes labels that reports
 * omit: a changed `app.kubernetes.io/name` is repaired. Not capped and not redacted, so never show it to users.
 */
export const localDifferences = (wanted: Manifest, live: Manifest, comparison: 'partial' | 'full'): PatchDetail[] =>
  walked(asSent(wanted), asSent(live), comparison);

function walked(wanted: unknown, live: unknown, comparison: 'partial' | 'full'): PatchDetail[] {
  const details: PatchDetail[] = [];
  walk(wanted, live, '', comparison, details);
  return details;
}

function walk(wanted: unknown, live: unknown, path: string, comparison: 'partial' | 'full', out: PatchDetail[]): void {
  if (wanted === live) return;
  if (isFields(wanted) && isFields(live)) {
    const keys = comparison === 'full' ? new Set([...Object.keys(wanted), ...Object.keys(live)]) : Object.keys(wanted);
    for (const key of [...keys].sort()) walk(wanted[key], live[key], `${path}/${pointerToken(key)}`, comparison, out);
    return;
  }
  if (Array.isArray(wanted) && Array.isArray(live) && (wanted.length === live.length || comparison === 'full')) {
    const length = Math.max(wanted.length, live.length);
    for (let index = 0; index < length; index++) walk(wanted[index], live[index], `${path}/${index}`, comparison, out);
    return;
  }
  // Servers drop and add empty values, so an empty map equals a missing one.
  if (isEmpty(wanted) && isEmpty(live)) return;
  out.push({
    path: path === '' ? '/' : path,
    ...(live === undefined ? {} : { valueInMember: text(live) }),
    ...(wanted === undefined ? {} : { valueInHub: text(wanted) }),
  });
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (isFields(value) && Object.values(value).every(isEmpty));
const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const serverMetadata = new Set([
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

const isKeyed = (field: string): field is 'labels' | 'annotations' => field === 'labels' || field === 'annotations';

/** Keys of labels and annotations that KubeFleet omits from diffs, and gitfleet's. */
const conventional = /kubernetes\.io\/|k8s\.io\/|kubernetes-fleet\.io\/|gitfleet\.dev\//;

const asReported = (object: Manifest): Record<string, unknown> => compared(object, (key) => !conventional.test(key));
/** With empty maps instead of missing ones, so that the difference names a label that was the only one. */
const asSent = (object: Manifest): Record<string, unknown> =>
  compared({ ...object, metadata: { ...object.metadata, ...keyedOf(object) } }, () => true);
const keyedOf = ({ metadata: { labels = {}, annotations = {} } }: Manifest) => ({ labels, annotations });

function compared(object: Manifest, counts: (key: string) => boolean): Record<string, unknown> {
  const { status: _, metadata, ...fields } = withTextsAsData(object);
  const rest = templates.reduce<Record<string, unknown>>((kept, path) => without(kept, path), fields);
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(metadata)) {
    if (serverMetadata.has(key)) continue;
    if (isKeyed(key) && isFields(value))
      kept[key] = Object.fromEntries(Object.entries(value).filter(([name]) => counts(name)));
    else kept[key] = value;
  }
  return { ...rest, metadata: kept };
}

/** Pod templates in which API servers write an empty creation time. */
const templates = [
  ['spec', 'template', 'metadata', 'creationTimestamp'],
  ['spec', 'jobTemplate', 'spec', 'template', 'metadata', 'creationTimestamp'],
];

function without(fields: Record<string, unknown>, [key, ...more]: readonly string[]): Record<string, unknown> {
  if (key === undefined || !(key in fields)) return fields;
  const { [key]: field, ...others } = fields;
  if (more.length === 0) return others;
  return isFields(field) ? { ...fields, [key]: without(field, more) } : fields;
}
