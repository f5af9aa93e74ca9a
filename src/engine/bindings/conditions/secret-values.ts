import type { Manifest } from '../../../api/meta.ts';
import { isSecret } from '../../selection/is-secret.ts';

/** What stands where a value of a Secret would. */
const redacted = '(redacted)';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** A Secret with its keys and without their values, wherever kubectl repeats them; anything else as it is. */
export function withoutValues(manifest: Manifest): Manifest {
  if (!isSecret(manifest)) return manifest;
  const { annotations } = manifest.metadata;
  return {
    ...manifest,
    ...('data' in manifest ? { data: hidden(manifest['data']) } : {}),
    ...('stringData' in manifest ? { stringData: hidden(manifest['stringData']) } : {}),
    ...(annotations && lastApplied in annotations
      ? { metadata: { ...manifest.metadata, annotations: { ...annotations, [lastApplied]: redacted } } }
      : {}),
  };
}

const hidden = (values: unknown): object =>
  Object.fromEntries(Object.keys((values ?? {}) as object).map((key) => [key, redacted]));

/**
 * Parts of a Secret that may be shown where it differs; everything else, the annotation of kubectl too, may hold values.
 * `path` is a JSON pointer.
 */
export const isOpenPart = (path: string): boolean =>
  /^\/(type|immutable|metadata\/labels(\/.*)?|metadata\/annotations\/(?!kubectl\.kubernetes\.io~1last-applied).*)$/.test(
    path,
  );

/**
 * A message without the values of a Secret: API servers quote values that they refuse. Values of one or two characters
 * stay: replacing them would make any text unreadable, and they reveal nothing.
 */
export function withoutSecrets(manifest: Manifest, message: string): string {
  if (!isSecret(manifest)) return message;
  return valuesOf(manifest)
    .filter((value) => value.length > 2)
    .sort((a, b) => b.length - a.length)
    .reduce((text, value) => text.replaceAll(value, redacted), message);
}

/** The values as written; those in base64 also decoded, and plain ones also in base64, as the member shows them. */
function valuesOf(secret: Manifest): string[] {
  const texts = (part: unknown): string[] =>
    Object.values((part ?? {}) as object).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const encoded = texts(secret['data']);
  const plain = texts(secret['stringData']);
  return [...encoded, ...encoded.flatMap(decoded), ...plain, ...plain.map(inBase64)].flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
  ]);
}

const inBase64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));

function decoded(base64: string): string[] {
  try {
    return [new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)))];
  } catch {
    return [];
  }
}
