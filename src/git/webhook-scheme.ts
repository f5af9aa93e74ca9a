import type { IncomingHttpHeaders } from 'node:http';

/** Senders, each with a path of its own below `/hooks/`; `git` takes what any of them sends. */
export const webhookSenders = ['github', 'gitlab', 'gitea', 'git'] as const;
export type WebhookSender = (typeof webhookSenders)[number];

/** How a delivery proves that its sender has the secret. */
export type WebhookProof =
  /** HMAC-SHA256 of `prefix` and the raw body; one of the signatures must be it. */
  | {
      readonly kind: 'signature';
      readonly key: string | Buffer;
      readonly prefix: string;
      readonly encoding: 'hex' | 'base64';
      readonly signatures: readonly string[];
    }
  /** The secret itself, in clear. */
  | { readonly kind: 'token'; readonly token: string };

export interface ReadDelivery {
  readonly ok: true;
  readonly proof: WebhookProof;
  /** Of the delivery, the same when it is sent again. */
  readonly id: string | undefined;
}

export interface UnreadDelivery {
  readonly ok: false;
  readonly status: number;
  readonly reason: string;
}

interface Read {
  readonly headers: IncomingHttpHeaders;
  readonly secret: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** How far the time of a signed delivery may be off, seconds (Standard Webhooks). */
const toleranceS = 300;

/** What a delivery with these headers must prove. The forge is known by the path: Gitea and Forgejo send GitHub's headers too. */
export function readDelivery(sender: WebhookSender, read: Read): ReadDelivery | UnreadDelivery {
  switch (sender) {
    case 'github':
      return hexSigned(read, ['x-hub-signature-256'], ['x-github-delivery']);
    case 'gitea':
      return gitea(read);
    case 'gitlab':
      return gitlab(read);
    case 'git':
      if (one(read.headers['webhook-signature']) !== undefined) return standard(read);
      if (one(read.headers['x-gitlab-token']) !== undefined && firstOf(read.headers, anySignature) === undefined)
        return gitlab(read);
      return hexSigned(read, anySignature, anyId);
  }
}

const giteaSignature = ['x-gitea-signature', 'x-forgejo-signature', 'x-hub-signature-256'] as const;
const anySignature = ['x-hub-signature-256', 'x-hub-signature', ...giteaSignature, 'x-signature'] as const;
const anyId = ['x-github-delivery', 'x-gitea-delivery', 'idempotency-key', 'x-request-uuid'] as const;

/** Of a form, Gitea and Forgejo sign the value of a field instead of the raw body. */
function gitea(read: Read): ReadDelivery | UnreadDelivery {
  const type = one(read.headers['content-type'])?.split(';')[0]?.trim().toLowerCase();
  return type === undefined || type === 'application/json'
    ? hexSigned(read, giteaSignature, ['x-gitea-delivery', 'x-forgejo-delivery'])
    : { ok: false, status: 415, reason: `the content type is ${type}: choose application/json for this webhook` };
}

/** A signature must hold: the token is no way around it. */
function gitlab(read: Read): ReadDelivery | UnreadDelivery {
  if (one(read.headers['webhook-signature']) !== undefined) return standard(read);
  const token = one(read.headers['x-gitlab-token']);
  if (token === undefined) return refused(unsigned);
  const id = firstOf(read.headers, ['idempotency-key', 'x-gitlab-event-uuid']);
  return { ok: true, proof: { kind: 'token', token }, id };
}

function hexSigned(
  { headers, secret }: Read,
  names: readonly string[],
  ids: readonly string[],
): ReadDelivery | UnreadDelivery {
  const signature = firstOf(headers, names);
  if (signature === undefined) return refused(unsigned);
  const signatures = [signature.replace(/^sha256=/, '').toLowerCase()];
  const proof = { kind: 'signature', key: secret, prefix: '', encoding: 'hex', signatures } as const;
  return { ok: true, proof, id: firstOf(headers, ids) };
}

const whsec = 'whsec_';

/** Standard Webhooks, as GitLab signs: `v1,<base64>` over id, timestamp and body, with the decoded part of a `whsec_` token as the key. */
function standard({ headers, secret, now }: Read): ReadDelivery | UnreadDelivery {
  if (!secret.startsWith(whsec))
    return refused('the delivery has a webhook-signature: give gitfleet the signing token (whsec_…) as the secret');
  const id = one(headers['webhook-id']);
  const timestamp = one(headers['webhook-timestamp']);
  if (id === undefined || id === '' || timestamp === undefined || !/^\d{1,12}$/.test(timestamp))
    return refused('a delivery with a webhook-signature has a webhook-id and a webhook-timestamp');
  const offS = Math.abs(now / 1000 - Number(timestamp));
  if (offS > toleranceS)
    return refused(
      `its webhook-timestamp is ${Math.round(offS)} s off, of at most ${toleranceS}: the delivery is old, or the clocks differ`,
    );
  const signatures = one(headers['webhook-signature'])!
    .split(' ')
    .flatMap((text) => (text.startsWith('v1,') ? [text.slice('v1,'.length)] : []));
  const key = Buffer.from(secret.slice(whsec.length), 'base64');
  if (key.length === 0) return refused('the signing token holds no key: it is whsec_ and base64');
  return {
    ok: true,
    proof: { kind: 'signature', key, prefix: `${id}.${timestamp}.`, encoding: 'base64', signatures },
    id,
  };
}

const unsigned = 'no signature: set the secret of this webhook at the forge';

const refused = (reason: string): UnreadDelivery => ({ ok: false, status: 401, reason });

function firstOf(headers: IncomingHttpHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = one(headers[name]);
    if (value !== undefined) return value;
  }
  return undefined;
}

const one = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);
