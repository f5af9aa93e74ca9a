import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DaemonHttp, serveHttp } from '../../src/daemon/http.ts';
import { metrics } from '../../src/daemon/report/metrics.ts';

const secret = 'a long secret';
let http: DaemonHttp;
let trouble: { stuck?: string; notReady?: string };
let hints: number;

const open = (webhookSecret: string | undefined): Promise<DaemonHttp> =>
  serveHttp({
    host: '127.0.0.1',
    port: 0,
    health: { stuck: () => trouble.stuck, notReady: () => trouble.notReady },
    metrics: metrics(),
    webhookSecret,
    hinted: () => hints++,
  });

beforeEach(async () => {
  trouble = {};
  hints = 0;
  http = await open(secret);
});
afterEach(() => http.close());

async function ask(path: string, init: RequestInit = {}): Promise<readonly [status: number, body: string]> {
  const answer = await fetch(`http://127.0.0.1:${http.port}${path}`, init);
  return [answer.status, await answer.text()];
}

const signed = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`, ...headers },
});

describe('the port of the daemon', () => {
  it('reports on /healthz and /readyz ok, or the problem', async () => {
    expect([await ask('/healthz'), await ask('/readyz?verbose')]).toEqual([
      [200, 'ok\n'],
      [200, 'ok\n'],
    ]);
    trouble = { notReady: 'no reconciliation has finished yet' };
    expect([await ask('/healthz'), await ask('/readyz')]).toEqual([
      [200, 'ok\n'],
      [503, 'no reconciliation has finished yet\n'],
    ]);
    trouble = { stuck: 'no reconciliation has finished for 31 s' };
    expect(await ask('/healthz')).toEqual([503, 'no reconciliation has finished for 31 s\n']);
  });

  it('gives metrics in the text format of Prometheus', async () => {
    const answer = await fetch(`http://127.0.0.1:${http.port}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toContain('# TYPE gitfleet_reconcile_total counter\n');
  });

  it.each([
    ['GET', '/', 404],
    ['GET', '/healthz/', 404],
    ['POST', '/healthz', 405],
    ['DELETE', '/metrics', 405],
    ['HEAD', '/healthz', 200],
    ['GET', '/hooks/git', 405],
    ['GET', '/hooks/gitlab', 405],
    ['POST', '/hooks/github', 401],
    ['POST', '/hooks/other', 404],
    ['GET', '/hooks/', 404],
    ['POST', '/constructor', 404],
  ])('responds to %s %s with %i', async (method, path, status) => {
    expect((await ask(path, { method }))[0]).toBe(status);
  });
});

describe('POST /hooks/git', () => {
  it('wakes the daemon when the signature is valid, with any body', async () => {
    expect(await ask('/hooks/git', signed('no JSON at all'))).toEqual([202, 'accepted\n']);
    expect(hints).toBe(1);
  });

  it('has a path for each forge, which takes what that forge sends', async () => {
    expect((await ask('/hooks/github', signed('{"at":1}')))[0]).toBe(202);
    expect((await ask('/hooks/gitea', signed('{"at":2}', { 'content-type': 'application/json' })))[0]).toBe(202);
    expect((await ask('/hooks/gitlab', signed('{"at":3}')))[0]).toBe(401);
    expect(hints).toBe(2);
  });

  it('does nothing when the signature is invalid or missing', async () => {
    const other = signed('{}');
    expect((await ask('/hooks/git', { ...other, body: '{"other":1}' }))[0]).toBe(401);
    expect((await ask('/hooks/git', { method: 'POST', body: '{}' }))[0]).toBe(401);
    expect(hints).toBe(0);
  });

  it('accepts a delivery once', async () => {
    const delivery = signed('{}', { 'x-github-delivery': 'f9b3f0b4' });
    expect([(await ask('/hooks/git', delivery))[0], (await ask('/hooks/git', delivery))[0]]).toEqual([202, 409]);
    expect(hints).toBe(1);
  });

  it('reads at most 2 MiB', async () => {
    const status = async (size: number) => {
      // A server that stops reading may respond or close the connection.
      const answer = await ask('/hooks/git', signed('x'.repeat(size))).catch(() => [413]);
      return answer[0];
    };
    expect([await status(2 * 1024 * 1024), await status(2 * 1024 * 1024 + 1)]).toEqual([202, 413]);
    expect(hints).toBe(1);
  });

  it('does not exist without a secret', async () => {
    await http.close();
    http = await open(undefined);
    expect((await ask('/hooks/git', signed('{}')))[0]).toBe(404);
    expect(hints).toBe(0);
  });
});
