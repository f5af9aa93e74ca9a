import { stringify } from 'yaml';
import type { Manifest } from '../../api/meta.ts';
import { canonicalJson } from '../../engine/kernel/canonical-json.ts';
import { describeRef, refOfManifest } from '../../engine/selection/object-key.ts';
import { lineDiff } from './lines.ts';

/** A change of one object. */
export interface ManifestChange {
  /** `Deployment shop/web` */
  readonly object: string;
  readonly action: 'create' | 'update' | 'delete';
  /** Unified, without file headings; values of Secrets are left out. */
  readonly diff: string;
}

/** Undefined when nothing changes but fields of the server. `mostCharacters` of JSON: of a larger manifest no line is compared. */
export function changeOf(
  before: Manifest | undefined,
  after: Manifest | undefined,
  { mostCharacters = Number.POSITIVE_INFINITY } = {},
): ManifestChange | undefined {
  const of = after ?? before;
  if (of === undefined) return undefined;
  const [was, is] = hideSecrets(before && shown(before), after && shown(after));
  const sizes = [was, is].map((manifest) => (manifest ? JSON.stringify(manifest).length : 0));
  const diff = Math.max(...sizes) > mostCharacters ? withoutLines(was, is, sizes) : lineDiff(textOf(was), textOf(is));
  if (diff === '') return undefined;
  return {
    object: describeRef(refOfManifest(of)),
    action: before === undefined ? 'create' : after === undefined ? 'delete' : 'update',
    diff,
  };
}

const textOf = (manifest: Manifest | undefined): string =>
  manifest === undefined ? '' : stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false });

const withoutLines = (was: Manifest | undefined, is: Manifest | undefined, sizes: readonly number[]): string =>
  canonicalJson(was) === canonicalJson(is)
    ? ''
    : `  too large to compare line by line: ${sizes.map((size) => `${Math.ceil(size / 1000)} kB`).join(' before, ')} after`;

/** What a server writes into every object, and does again with every change. */
const serverFields = ['managedFields', 'resourceVersion', 'generation', 'creationTimestamp', 'uid', 'selfLink'];

/** Without fields of the server, the status, and marks of gitfleet. */
function shown({ status: _, metadata, ...rest }: Manifest): Manifest {
  const kept = Object.fromEntries(
    Object.entries(metadata).flatMap(([key, value]) => {
      if (serverFields.includes(key)) return [];
      if (key !== 'labels' && key !== 'annotations') return [[key, value]];
      const others = Object.entries(value as object).filter(([name]) => !name.startsWith('gitfleet.dev/'));
      return others.length === 0 ? [] : [[key, Object.fromEntries(others)]];
    }),
  );
  const { apiVersion, kind, ...body } = rest;
  return { apiVersion, kind, metadata: kept, ...body } as Manifest;
}

/** Values of a Secret stay out of terminals and CI logs; that one changed still shows. */
function hideSecrets(before: Manifest | undefined, after: Manifest | undefined): (Manifest | undefined)[] {
  const isSecret = [before, after].some((manifest) => manifest?.kind === 'Secret' && manifest.apiVersion === 'v1');
  if (!isSecret) return [before, after];
  const hide = (manifest: Manifest | undefined, other: Manifest | undefined, word: string): Manifest | undefined => {
    if (manifest === undefined) return undefined;
    const fields = ['data', 'stringData'].flatMap((field) => {
      const values = manifest[field] as Record<string, unknown> | undefined;
      if (values === undefined || values === null) return [];
      const others = (other?.[field] ?? {}) as Record<string, unknown>;
      const hidden = Object.keys(values).map((key) => [
        key,
        other === undefined || others[key] === values[key] ? '(redacted)' : `(redacted, ${word})`,
      ]);
      return [[field, Object.fromEntries(hidden)]];
    });
    return { ...manifest, ...Object.fromEntries(fields) };
  };
  return [hide(before, after, 'before'), hide(after, before, 'after')];
}
