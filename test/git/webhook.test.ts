import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkWebhook, noDeliveries, type SeenDeliveries, type WebhookVerdict } from '../../src/git/webhook.ts';
import type { WebhookSender } from '../../src/git/webhook-scheme.ts';

const secret = 'a long secret';
const at = Date.parse('2026-11-20T10:00:00Z');
const rawBody = Buffer.from('{"ref":"refs/heads/main"}');
const hmac = createHmac('sha256', secret).update(rawBody).digest('hex');

function verify(
  headers: Record<string, string>,
  more: {
    readonly sender?: WebhookSender;
    readonly rawBody?: Buffer;
    readonly secret?: string;
    readonly seen?: SeenDeliveries;
    readonly now?: number;
  } = {},
): WebhookVerdict {
  const check = checkWebhook({
    sender: more.sender ?? 'git',
    headers,
    secret: more.secret ?? secret,
    seen: more.seen ?? noDeliveries(),
    now: more.now ?? at,
  });
  if (!check.ok) return check;
  for (const byte of more.rawBody ?? rawBody) check.update(Uint8Array.of(byte));
  return check.verdict();
}

it.each([
  ['GitHub', { 'x-hub-signature-256': `sha256=${hmac}` }],
  ['Gitea', { 'x-gitea-signature': hmac }],
  ['Forgejo', { 'x-forgejo-signature': hmac }],
  ['Bitbucket', { 'x-hub-signature': `sha256=${hmac}` }],
  ['a sender of your own', { 'x-signature': `sha256=${hmac}` }],
  ['GitLab', { 'x-gitlab-token': secret }],
])('a delivery of %s that knows the secret is taken', (_forge, headers) => {
  expect(verify(headers as Record<string, string>)).toEqual({ ok: true });
});

/** The example of the specification of Standard Webhooks (standardwebhooks.com). */
const standard = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  rawBody: Buffer.from('{"test": 2432232314}'),
  now: 1_614_265_330_000,
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
} as const;
const json = { 'content-type': 'application/json' };

it.each<[WebhookSender, Record<string, string>]>([
  ['github', { 'x-hub-signature-256': `sha256=${hmac}`, 'x-github-delivery': '1' }],
  ['github', { 'x-hub-signature-256': `sha256=${hmac}`, 'content-type': 'application/x-www-form-urlencoded' }],
  ['gitea', { 'x-gitea-signature': hmac, ...json }],
  ['gitea', { 'x-forgejo-signature': hmac, 'content-type': 'application/json; charset=utf-8' }],
  ['gitea', { 'x-hub-signature-256': `sha256=${hmac}`, ...json }],
  ['gitlab', { 'x-gitlab-token': secret }],
  ['git', { 'x-signature': hmac }],
])('/hooks/%s takes %j', (sender, headers) => {
  expect(verify(headers, { sender })).toEqual({ ok: true });
});

it.each<[WebhookSender, Record<string, string>, number]>([
  ['github', {}, 401],
  ['github', { 'x-gitlab-token': secret }, 401],
  ['github', { 'x-gitea-signature': hmac }, 401],
  ['github', { 'x-hub-signature': `sha256=${hmac}` }, 401],
  ['github', { 'x-hub-signature-256': 'sha256=' }, 401],
  ['gitea', { 'x-gitea-signature': '', ...json }, 401],
  ['gitea', { 'x-gitea-signature': hmac, 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ['gitea', { 'x-gitlab-token': secret, ...json }, 401],
  ['gitlab', { 'x-hub-signature-256': `sha256=${hmac}` }, 401],
  ['gitlab', { 'x-gitlab-token': '' }, 401],
  ['gitlab', { 'x-gitlab-token': secret, 'webhook-signature': 'v1,AAAA' }, 401],
])('/hooks/%s refuses %j', (sender, headers, status) => {
  expect(verify(headers, { sender })).toMatchObject({ ok: false, status });
});

describe('a signing token of GitLab', () => {
  const { headers, ...more } = standard;
  const signed = (change: Record<string, string | undefined>, sender: WebhookSender = 'gitlab', by: object = {}) =>
    verify(
      Object.fromEntries(
        Object.entries<string | undefined>({ ...headers, ...change }).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      ),
      { ...more, sender, ...by },
    );

  it.each<[string, Record<string, string>]>([
    ['its signature', {}],
    ['several signatures, of which one holds', { 'webhook-signature': `v1,AAAA ${headers['webhook-signature']} v2,x` }],
    ['the old token beside it, which does not count', { 'x-gitlab-token': 'another' }],
  ])('%s is taken', (_, change) => {
    expect([signed(change), signed(change, 'git')]).toEqual([{ ok: true }, { ok: true }]);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['a signature of another key', { 'webhook-signature': 'v1,AAAA' }],
    ['a wrong signature beside the right token', { 'webhook-signature': 'v1,AAAA', 'x-gitlab-token': standard.secret }],
    ['no version', { 'webhook-signature': headers['webhook-signature'].slice(3) }],
    ['an empty signature', { 'webhook-signature': '' }],
    ['another id', { 'webhook-id': 'msg_other' }],
    ['no id', { 'webhook-id': undefined }],
    ['another time', { 'webhook-timestamp': '1614265331' }],
    ['a time that is none', { 'webhook-timestamp': '1614265330.0' }],
    ['no time', { 'webhook-timestamp': undefined }],
  ])('%s is refused', (_, change) => {
    expect([signed(change), signed(change, 'git')]).toMatchObject([
      { ok: false, status: 401 },
      { ok: false, status: 401 },
    ]);
  });

  it('counts for five minutes, in both directions, and once', () => {
    const at = (seconds: number) => signed({}, 'gitlab', { now: standard.now + seconds * 1000 }).ok;
    expect([-301, -300, 300, 301].map(at)).toEqual([false, true, true, false]);
    const seen = noDeliveries();
    expect(signed({}, 'gitlab', { seen })).toEqual({ ok: true });
    expect(signed({}, 'gitlab', { seen })).toMatchObject({ status: 409 });
  });

  it('must be the secret where deliveries are signed', () => {
    expect(signed({}, 'gitlab', { secret })).toMatchObject({ ok: false, reason: expect.stringContaining('whsec_') });
    expect(signed({}, 'gitlab', { secret: 'whsec_' })).toMatchObject({ ok: false, status: 401 });
  });
});

it.each([
  ['nothing', {}],
  ['another signature', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }],
  ['a short signature', { 'x-hub-signature-256': 'sha256=00' }],
  ['an empty signature', { 'x-hub-signature-256': '' }],
  ['a SHA-1 signature', { 'x-hub-signature': `sha1=${createHmac('sha1', secret).update(rawBody).digest('hex')}` }],
  ['another token', { 'x-gitlab-token': 'guess' }],
  ['the secret as a signature', { 'x-hub-signature-256': secret }],
  ['a wrong signature beside the right token', { 'x-hub-signature-256': 'sha256=00', 'x-gitlab-token': secret }],
])('a delivery with %s is refused', (_what, headers) => {
  expect(verify(headers as Record<string, string>)).toMatchObject({ ok: false, status: 401 });
});

it('a signature of another body is refused', () => {
  expect(verify({ 'x-hub-signature-256': `sha256=${hmac}` }, { rawBody: Buffer.from('{}') })).toMatchObject({
    ok: false,
  });
});

it('an empty secret accepts no delivery', () => {
  const forged = createHmac('sha256', '').update(rawBody).digest('hex');
  expect(verify({ 'x-hub-signature-256': `sha256=${forged}` }, { secret: '' })).toMatchObject({ ok: false });
  expect(verify({ 'x-gitlab-token': '' }, { secret: '' })).toMatchObject({ ok: false });
});

it('a wrong token is refused before the body is read', () => {
  const headers = { 'x-gitlab-token': 'guess' };
  expect(checkWebhook({ sender: 'git', headers, secret, seen: noDeliveries(), now: at })).toMatchObject({
    ok: false,
    status: 401,
    reason: expect.stringContaining('the token does not match'),
  });
});

it('a delivery is accepted once, identified by its id and by its body', () => {
  const seen = noDeliveries();
  const headers = { 'x-gitlab-token': secret, 'idempotency-key': 'one' };
  expect(verify(headers, { seen })).toEqual({ ok: true });
  expect(verify(headers, { seen })).toMatchObject({ ok: false, status: 409 });
  expect(verify(headers, { seen, rawBody: Buffer.from('{}') })).toMatchObject({ ok: false, status: 409 });
  expect(verify({ ...headers, 'idempotency-key': 'two' }, { seen })).toMatchObject({ ok: false, status: 409 });
  expect(verify({ 'x-gitlab-token': secret }, { seen })).toMatchObject({ ok: false, status: 409 });
  expect(verify({ ...headers, 'idempotency-key': 'two' }, { seen, rawBody: Buffer.from('{}') })).toEqual({ ok: true });
});

it('a refused delivery does not use up its id or its body', () => {
  const seen = noDeliveries();
  verify({ 'x-hub-signature-256': 'sha256=00', 'x-github-delivery': 'one' }, { seen });
  expect([seen.ids.size, seen.bodies.size]).toEqual([0, 0]);
});

it('the memory for deliveries is bounded', () => {
  const seen = noDeliveries();
  for (let at = 0; at < 3_000; at++)
    verify({ 'x-gitlab-token': secret, 'idempotency-key': `${at}` }, { seen, rawBody: Buffer.from(`${at}`) });
  expect([seen.ids.size, seen.bodies.size]).toEqual([1_000, 1_000]);
});
