import { afterEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/members/api-server/transport.ts';
import { upgradeProvidersOf } from '../../../src/members/upgrade/providers.ts';
import { readRequestedApis } from '../../../src/members/upgrade/requested-apis.ts';
import { clientOf } from '../../support/member-client.ts';
import { type Intercept, openWorld, type World } from '../../support/member-world.ts';

let world: World;
afterEach(() => world?.member.stop());

const api = { group: 'policy', version: 'v1beta1', resource: 'poddisruptionbudgets', removedRelease: '1.33' };
const budget = (name: string) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'default' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: name } } },
});

async function open(intercept?: Intercept): Promise<void> {
  world = await openWorld(
    { requestedApis: [api], objects: [budget('web')] },
    { providers: upgradeProvidersOf(), ...(intercept && { intercept }) },
  );
  world.member.upgradeBy({ provider: 'simulated', ref: undefined });
  world.member.assign([]);
  await world.pass(20);
}
const asks = () => world.requests.filter(({ path }) => /metrics|poddisruption/.test(path)).length;
const ask = async (): Promise<void> => {
  world.member.assign([{ kind: 'preflight', key: 'preflight' }]);
  await world.pass(1);
};

describe('what is read before an upgrade', () => {
  it('is read when a plan requests it, and again each minute while it does', async () => {
    await open();
    await world.pass(600);
    expect([asks(), world.observation().preflight]).toEqual([0, { done: false, requestedApis: [], findings: [] }]);
    await ask();
    expect([asks(), world.observation().preflight]).toEqual([2, { done: true, requestedApis: [api], findings: [] }]);
    await world.pass(90);
    expect(asks()).toBe(4);
    world.member.assign([]);
    await world.pass(600);
    expect([asks(), world.observation().preflight?.done]).toEqual([4, false]);
  });

  it('has budgets that let no pod go, and only those', async () => {
    await open();
    const status = { disruptionsAllowed: 0, expectedPods: 1, currentHealthy: 1, desiredHealthy: 1 };
    await world.user('PATCH', '/apis/policy/v1/namespaces/default/poddisruptionbudgets/web/status', { status });
    await ask();
    expect(world.observation().extras).toEqual([
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'web', namespace: 'default' },
        status: { disruptionsAllowed: 0, expectedPods: 1 },
      },
    ]);
  });

  it.each([403, 404])('is done with a warning where the member refuses it with %i', async (status) => {
    await open(({ path }) => (path === '/metrics' ? { status, body: { message: 'no' } } : undefined));
    await ask();
    const message = `read /metrics on eu-1: ${status}, no`;
    expect(world.observation().preflight).toEqual({
      done: true,
      requestedApis: [],
      findings: [{ reason: 'ApiBreakingChange', severity: 'Warning', message }],
    });
  });

  it('is tried three times where no response comes', async () => {
    await open(({ path }) => (path === '/metrics' ? { status: 503, body: { message: 'overloaded' } } : undefined));
    await ask();
    expect(world.observation().preflight?.done).toBe(false);
    await world.pass(60);
    expect(world.observation().preflight).toMatchObject({ done: true, findings: [{ reason: 'ApiBreakingChange' }] });
  });
});

describe('the metrics of an API server', () => {
  const mib = 2 ** 20;
  let read = 0;
  const serving = (parts: () => Iterable<string>): Transport => {
    read = 0;
    async function* body(): AsyncIterable<Uint8Array> {
      for (const part of parts()) {
        read += part.length;
        yield Buffer.from(part);
      }
    }
    return async () => ({ status: 200, headers: {}, body: body() });
  };
  const bucket = `apiserver_request_duration_seconds_bucket{le="1"} 1\n`.repeat(2 ** 14);
  const line = (labels: string) => `apiserver_requested_deprecated_apis{${labels}} 1\n`;
  const known = 'group="policy",removed_release="1.25",resource="a",subresource="",version="v1beta1"';
  const refusals: string[] = [];
  const from = (parts: () => Iterable<string>) =>
    readRequestedApis(clientOf({ transport: serving(parts), refused: (error) => void refusals.push(error.message) }));

  it('are read up to the lines that count, whatever comes before and after', async () => {
    const found = await from(function* () {
      for (let size = 0; size < 20 * mib; size += bucket.length) yield bucket;
      yield line(known).slice(0, 50);
      yield line(known).slice(50);
      for (;;) yield bucket;
    });
    expect(found).toEqual([{ group: 'policy', version: 'v1beta1', resource: 'a', removedRelease: '1.25' }]);
    expect(read / mib).toBeLessThan(23);
  });

  it('of more than 64 MiB are not known, and the member stays', async () => {
    await expect(
      from(function* () {
        for (;;) yield bucket;
      }),
    ).rejects.toThrow('read /metrics on b: 200, the response has more than 64 MiB');
    expect(refusals).toEqual([]);
  });

  it.each([
    ['in one line', () => 'x'.repeat(1000)],
    ['in lines that count', () => line(known)],
  ])('that would take more memory than a response may have, %s, are refused', async (_, part) => {
    refusals.length = 0;
    await expect(
      from(function* () {
        for (;;) yield part().repeat(1000);
      }),
    ).rejects.toThrow('a response of more than 8 MiB');
    expect(refusals).toHaveLength(1);
  });

  it.each<[string, string, unknown]>([
    [
      'without a release that removes the API',
      known.replace('1.25', ''),
      [{ group: 'policy', version: 'v1beta1', resource: 'a' }],
    ],
    [
      'of the core group, with a subresource',
      known.replace('policy', '').replace('subresource=""', 'subresource="scale"'),
      [{ version: 'v1beta1', resource: 'a', subresource: 'scale', removedRelease: '1.25' }],
    ],
    ['with a name that Kubernetes does not allow', known.replace('"a"', '"a\\u001b[2J"'), []],
    ['without labels', '', []],
  ])('a line %s', async (_, labels, expected) => {
    expect(await from(() => [line(labels)])).toEqual(expected);
  });

  it('a gauge of 0 says that the API was not requested', async () => {
    expect(await from(() => [line(known).replace(/ 1$/m, ' 0')])).toEqual([]);
  });
});
