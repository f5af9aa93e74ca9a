import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readDelivery, type WebhookSender } from './webhook-scheme.ts';

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
 * Whether a webhook was sent with the secret: by its signature, or by the token itself (GitLab), compared in constant time. A delivery
 * with wrong headers is refused here, before its body is read. The body is never parsed: a webhook is only a hint to fetch.
 *
 * A repeated delivery is refused (409). Most ids are not signed, so its body is compared too. A forge may send the same bytes twice
 * on purpose; the daemon then fetches at its next interval.
 */
export function checkWebhook(input: {
  readonly sender: WebhookSender;
  readonly headers: IncomingHttpHeaders;
  readonly secret: string;
  readonly seen: SeenDeliveries;
  /** Milliseconds since the epoch. */
  readonly now: number;
}): WebhookCheck | WebhookRefusal {
  const { secret, seen } = input;
  if (secret === '') return refused('no webhook secret is configured');
  const read = readDelivery(input.sender, input);
  if (!read.ok) return read;
  const { proof, id } = read;
  if (proof.kind === 'token' && !same(proof.token, secret)) return refused(otherSecret('token'));
  const { key, prefix } = proof.kind === 'token' ? { key: secret, prefix: '' } : proof;
  const hmac = createHmac('sha256', key).update(prefix);
  return {
    ok: true,
    update: (chunk) => void hmac.update(chunk),
    verdict() {
      const signed = hmac.digest();
      if (proof.kind === 'signature' && !isAmong(proof.signatures, signed.toString(proof.encoding)))
        return refused(otherSecret('signature'));
      return isNew(seen, { id, body: signed.toString('hex') })
        ? { ok: true }
        : { ok: false, status: 409, reason: 'this delivery was received before' };
    },
  };
}

const otherSecret = (what: string): string =>
  `the ${what} does not match: the forge and gitfleet have different secrets`;

const refused = (reason: string): WebhookRefusal => ({ ok: false, status: 401, reason });

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

/** Compares all of them, so that the time does not depend on which it is. */
const isAmong = (signatures: readonly string[], signed: string): boolean =>
  signatures.filter((signature) => same(signature, signed)).length > 0;

/** Digests first, so that lengths differ nowhere. */
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
