import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export type WebhookVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly status: number; readonly reason: string };

/** So many delivery ids are remembered; an older delivery that is sent again only makes us look once more. */
const remembered = 1_000;
const seen = new Set<string>();

/**
 * Whether a webhook comes from somebody who knows the secret: HMAC-SHA256 of the raw body (GitHub, Gitea, Forgejo,
 * Bitbucket; anything else as X-Signature) or the plain token (GitLab), compared in constant time. A delivery that was seen before is refused (409). The
 * body is never read: a webhook is only a hint to look.
 */
export function verifyWebhook(input: {
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Uint8Array;
  readonly secret: string;
  /** Ids of deliveries seen before; by default those of this process. */
  readonly deliveries?: Set<string>;
}): WebhookVerdict {
  const { headers, secret, deliveries = seen } = input;
  if (secret === '') return refused('no webhook secret is configured');
  const signature =
    one(headers['x-hub-signature-256']) ??
    one(headers['x-hub-signature']) ??
    one(headers['x-gitea-signature']) ??
    one(headers['x-forgejo-signature']) ??
    one(headers['x-signature']);
  const token = one(headers['x-gitlab-token']);
  if (signature === undefined && token === undefined)
    return refused('no signature: set the secret of this webhook at the forge');
  const known =
    signature === undefined
      ? same(token!, secret)
      : same(
          signature.replace(/^sha256=/, '').toLowerCase(),
          createHmac('sha256', secret).update(input.rawBody).digest('hex'),
        );
  if (!known) return refused('the signature does not fit: the forge and gitfleet have different secrets');
  const delivery =
    one(headers['x-github-delivery']) ??
    one(headers['x-gitea-delivery']) ??
    one(headers['idempotency-key']) ??
    one(headers['x-request-uuid']);
  if (delivery === undefined) return { ok: true };
  if (deliveries.has(delivery)) return { ok: false, status: 409, reason: 'this delivery was seen before' };
  deliveries.add(delivery);
  if (deliveries.size > remembered) deliveries.delete(deliveries.values().next().value!);
  return { ok: true };
}

const refused = (reason: string): WebhookVerdict => ({ ok: false, status: 401, reason });

const one = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

/** Digests first, so that lengths differ nowhere. */
function same(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
