import type { Manifest } from '../../api/meta.ts';
import { isSecret } from '../../engine/selection/is-secret.ts';

/**
 * A Secret with its `stringData` moved into `data`, as the server stores it. It is also sent so: with `stringData` a server never
 * removes a key that is no longer applied, and does not report field conflicts (kubernetes issue 108008). Values that are not
 * strings are left for the server to refuse.
 */
export function withTextsAsData(manifest: Manifest): Manifest {
  const { stringData, ...rest } = manifest as Manifest & { readonly stringData?: unknown };
  if (!isSecret(manifest) || typeof stringData !== 'object' || stringData === null) return manifest;
  const texts = Object.entries(stringData);
  if (!texts.every(([, text]) => typeof text === 'string')) return manifest;
  const data = texts.map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return { ...rest, data: { ...(rest['data'] as object | undefined), ...Object.fromEntries(data) } } as Manifest;
}
