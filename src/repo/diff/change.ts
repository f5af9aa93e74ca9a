import { stringify } from 'yaml';
import type { Manifest } from '../../api/meta.ts';
import { isSealedSecret } from '../../api/sealed-secret.ts';
import { canonicalJson } from '../../engine/kernel/canonical-json.ts';
import { isSecret } from '../../engine/selection/is-secret.ts';
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

/** Values of a Secret, sealed ones too, stay out of terminals and CI logs; that one changed still shows. */
function hideSecrets(before: Manifest | undefined, after: Manifest | undefined): (Manifest | undefined)[] {
  const places = secretPlaces(after ?? before);
  const hide = (manifest: Manifest | undefined, other: Manifest | undefined, word: string): Manifest | undefined =>
    places.reduce(
      (hidden, place) => withMap(hidden, place, (values) => redactedMap(values, other, { place, word })) as Manifest,
      manifest,
    );
  return [hide(before, after, 'before'), hide(after, before, 'after')];
}

type Place = readonly string[];

function secretPlaces(manifest: Manifest | undefined): readonly Place[] {
  if (manifest === undefined) return [];
  if (isSecret(manifest)) return [['data'], ['stringData']];
  return isSealedSecret(manifest)
    ? [
        ['spec', 'encryptedData'],
        ['spec', 'template', 'data'],
      ]
    : [];
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function redactedMap(
  values: Readonly<Record<string, unknown>>,
  other: Manifest | undefined,
  { place, word }: { readonly place: Place; readonly word: string },
): object {
  const others = place.reduce<unknown>((value, key) => (isMap(value) ? value[key] : undefined), other);
  const isSame = (key: string): boolean => other === undefined || (isMap(others) && others[key] === values[key]);
  return Object.fromEntries(
    Object.keys(values).map((key) => [key, isSame(key) ? '(redacted)' : `(redacted, ${word})`]),
  );
}

/** With the map at a place replaced, where there is one. */
function withMap(
  value: unknown,
  [first, ...rest]: Place,
  replace: (map: Readonly<Record<string, unknown>>) => object,
): unknown {
  if (!isMap(value)) return value;
  if (first === undefined) return replace(value);
  return first in value ? { ...value, [first]: withMap(value[first], rest, replace) } : value;
}
