import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { checkWebhook, noDeliveries, type SeenDeliveries, type WebhookVerdict } from '../../src/git/webhook.ts';

const secret = 'a long secret';
const rawBody = Buffer.from('{"ref":"refs/heads/main"}');
const hmac = createHmac('sha256', secret).update(rawBody).digest('hex');

function verify(
  headers: Record<string, string>,
  more: { readonly rawBody?: Buffer; readonly secret?: string; readonly seen?: SeenDeliveries } = {},
): WebhookVerdict {
  const check = checkWebhook({ headers, secret: more.secret ?? secret, seen: more.seen ?? noDeliveries() });
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
  expect(checkWebhook({ headers: { 'x-gitlab-token': 'guess' }, secret, seen: noDeliveries() })).toMatchObject({
    ok: false,
    status: 401,
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
