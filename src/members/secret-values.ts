import type { Manifest } from '../api/meta.ts';

/**
 * A message without what a Secret holds: API servers quote the values that they refuse. Values of one or two characters
 * stay, since they would make any text unreadable and give nothing away.
 */
export function withoutSecrets(manifest: Manifest, message: string): string {
  if (manifest.apiVersion !== 'v1' || manifest.kind !== 'Secret') return message;
  return valuesOf(manifest)
    .filter((value) => value.length > 2)
    .sort((a, b) => b.length - a.length)
    .reduce((text, value) => text.replaceAll(value, '(redacted)'), message);
}

/** As they are written, and as they read where they are base64. */
function valuesOf(secret: Manifest): string[] {
  const texts = (part: unknown): string[] =>
    Object.values((part ?? {}) as object).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const encoded = texts(secret['data']);
  const decoded = encoded.map((value) => Buffer.from(value, 'base64').toString('utf8'));
  return [...encoded, ...decoded, ...texts(secret['stringData'])].flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
  ]);
}
