import type { Manifest } from '../../api/meta.ts';
import { isSecret } from '../../engine/selection/is-secret.ts';

/**
 * A Secret with its `stringData` moved into `data`, where the server puts it and where it is compared. It is sent like that too: of
 * `stringData` a server never takes a key away that is applied no more, nor sees that the field is somebody else's (kubernetes
 * issue 108008). Texts that are none are left for the server to refuse.
 */
export function withTextsAsData(manifest: Manifest): Manifest {
  const { stringData, ...rest } = manifest as Manifest & { readonly stringData?: unknown };
  if (!isSecret(manifest) || typeof stringData !== 'object' || stringData === null) return manifest;
  const texts = Object.entries(stringData);
  if (!texts.every(([, text]) => typeof text === 'string')) return manifest;
  const data = texts.map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return { ...rest, data: { ...(rest['data'] as object | undefined), ...Object.fromEntries(data) } } as Manifest;
}
