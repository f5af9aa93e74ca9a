import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export type WebhookVerdict = { readonly ok: true } | WebhookRefusal;

export interface WebhookRefusal {
  readonly ok: false;
  readonly status: number;
  readonly reason: string;
}

/** A delivery whose headers are valid. Its body is processed chunk by chunk and not kept. */
export interface WebhookCheck {
  readonly ok: true;
  update(chunk: Uint8Array): void;
  /** After the last chunk. A delivery that is verified counts as seen from then on. */
  verdict(): WebhookVerdict;
}

/** Digests of the deliveries that were verified, oldest first. */
export interface SeenDeliveries {
  readonly ids: Set<string>;
  readonly bodies: Set<string>;
}

export const noDeliveries = (): SeenDeliveries => ({ ids: new Set(), bodies: new Set() });

/** Deliveries that are remembered; an older one that is sent again only starts one more reconciliation. */
const remembered = 1_000;

/**
 * Whether a webhook was sent with the secret: HMAC-SHA256 of the raw body (GitHub, Gitea, Forgejo, Bitbucket; anything else as
 * X-Signature) or the plain token (GitLab), compared in constant time. A delivery with wrong headers is refused here, before its
 * body is read. The body is never parsed: a webhook is only a hint to fetch.
 *
 * A repeated delivery is refused (409). Its id is not signed, so its body is compared too. A forge may send the same bytes twice
 * on purpose; the daemon then fetches at its next interval.
 */
export function checkWebhook(input: {
  readonly headers: IncomingHttpHeaders;
  readonly secret: string;
  readonly seen: SeenDeliveries;
}): WebhookCheck | WebhookRefusal {
  const { headers, secret, seen } = input;
  if (secret === '') return refused('no webhook secret is configured');
  const signature = signatureOf(headers);
  const token = one(headers['x-gitlab-token']);
  if (signature === undefined && token === undefined)
    return refused('no signature: set the secret of this webhook at the forge');
  if (signature === undefined && !same(token!, secret)) return refused(otherSecret);
  const hmac = createHmac('sha256', secret);
  return {
    ok: true,
    update: (chunk) => void hmac.update(chunk),
    verdict() {
      const body = hmac.digest('hex');
      if (signature !== undefined && !same(signature, body)) return refused(otherSecret);
      return isNew(seen, { id: deliveryId(headers), body })
        ? { ok: true }
        : { ok: false, status: 409, reason: 'this delivery was received before' };
    },
  };
}

const otherSecret = 'the signature does not match: the forge and gitfleet have different secrets';

const refused = (reason: string): WebhookRefusal => ({ ok: false, status: 401, reason });

const signatureOf = (headers: IncomingHttpHeaders): string | undefined =>
  (
    one(headers['x-hub-signature-256']) ??
    one(headers['x-hub-signature']) ??
    one(headers['x-gitea-signature']) ??
    one(headers['x-forgejo-signature']) ??
    one(headers['x-signature'])
  )
    ?.replace(/^sha256=/, '')
    .toLowerCase();

const deliveryId = (headers: IncomingHttpHeaders): string | undefined =>
  one(headers['x-github-delivery']) ??
  one(headers['x-gitea-delivery']) ??
  one(headers['idempotency-key']) ??
  one(headers['x-request-uuid']);

const one = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

/** Remembers the delivery if neither its id nor its body is known. */
function isNew(seen: SeenDeliveries, delivery: { readonly id: string | undefined; readonly body: string }): boolean {
  const id = delivery.id === undefined ? undefined : digest(delivery.id).toString('hex');
  if (seen.bodies.has(delivery.body) || (id !== undefined && seen.ids.has(id))) return false;
  remember(seen.bodies, delivery.body);
  if (id !== undefined) remember(seen.ids, id);
  return true;
}

function remember(digests: Set<string>, added: string): void {
  digests.add(added);
  if (digests.size > remembered) digests.delete(digests.values().next().value!);
}

/** Digests first, so that lengths differ nowhere. */
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
