import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { verifyWebhook } from '../../src/git/webhook.ts';

const secret = 'a long secret';
const rawBody = Buffer.from('{"ref":"refs/heads/main"}');
const hmac = createHmac('sha256', secret).update(rawBody).digest('hex');
const verify = (headers: Record<string, string>, more: object = {}) =>
  verifyWebhook({ headers, rawBody, secret, deliveries: new Set(), ...more });

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

it('an empty secret opens the hook to nobody', () => {
  const forged = createHmac('sha256', '').update(rawBody).digest('hex');
  expect(verify({ 'x-hub-signature-256': `sha256=${forged}` }, { secret: '' })).toMatchObject({ ok: false });
  expect(verify({ 'x-gitlab-token': '' }, { secret: '' })).toMatchObject({ ok: false });
});

it('a delivery is taken once', () => {
  const deliveries = new Set<string>();
  const headers = { 'x-hub-signature-256': `sha256=${hmac}`, 'x-github-delivery': 'one' };
  expect(verify(headers, { deliveries })).toEqual({ ok: true });
  expect(verify(headers, { deliveries })).toMatchObject({ ok: false, status: 409 });
  expect(verify({ ...headers, 'x-github-delivery': 'two' }, { deliveries })).toEqual({ ok: true });
});

it('a refused delivery does not use up its id', () => {
  const deliveries = new Set<string>();
  verify({ 'x-hub-signature-256': 'sha256=00', 'x-github-delivery': 'one' }, { deliveries });
  expect(deliveries.size).toBe(0);
});

it('the memory for deliveries is bounded', () => {
  const deliveries = new Set<string>();
  for (let at = 0; at < 3_000; at++) verify({ 'x-gitlab-token': secret, 'idempotency-key': `${at}` }, { deliveries });
  expect(deliveries.size).toBeLessThanOrEqual(1_000);
});
