import { describe, expect, it } from 'vitest';
import type { SimulatedFault } from '../../src/api/simulated-fleet.ts';
import { simulatedFault } from '../../src/api/simulated-fleet.ts';
import { manualClock } from '../../src/simulator/clock.ts';
import { openMember } from '../../src/simulator/member.ts';
import { inProcessTransport } from '../../src/simulator/transport.ts';

const begin = Date.parse('2026-11-20T10:00:00Z');

async function member(...faults: unknown[]) {
  const clock = manualClock(begin);
  const opened = await openMember({ name: 'eu-1', faults: faults.map((fault) => simulatedFault.parse(fault)) }, clock);
  const send = inProcessTransport(opened);
  const ask = async (
    path: string,
    options: { method?: 'GET' | 'POST'; body?: string; signal?: AbortSignal } = {},
  ): Promise<string> => {
    const { status, body, headers } = await send({
      method: options.method ?? 'GET',
      path,
      headers: { 'content-type': 'application/json' },
      ...(options.body === undefined ? {} : { body: options.body }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    let text = '';
    for await (const chunk of body) text += new TextDecoder().decode(chunk);
    const { message, kind } = JSON.parse(text) as { message?: string; kind?: string };
    const after = headers['retry-after'] === undefined ? '' : ` (after ${headers['retry-after']} s)`;
    return `${status}${after} ${message ?? kind}`;
  };
  return { clock, ask, opened, send };
}

const nodes = '/api/v1/nodes';
const namespace = { method: 'POST' as const, body: JSON.stringify({ metadata: { name: 'x' } }) };

describe('a fault behaves like an API server or a network', () => {
  const table: [SimulatedFault['type'], object, string][] = [
    ['Unreachable', {}, 'connect ECONNREFUSED eu-1'],
    ['Reset', {}, 'read ECONNRESET eu-1'],
    [
      'TooManyRequests',
      { retryAfterSeconds: 7 },
      '429 (after 7 s) the server has received too many requests and has asked us to try again later',
    ],
    ['ServerError', { status: 503 }, '503 simulated fault'],
    ['Unauthorized', {}, '401 Unauthorized'],
    ['Forbidden', {}, '403 api/v1/nodes is forbidden: User "gitfleet" cannot list it'],
    ['DenyAdmission', {}, '200 NodeList'],
    ['SilentWatch', {}, '200 NodeList'],
  ];
  it.each(table)('%s', async (type, fields, expected) => {
    const { ask } = await member({ type, ...fields });
    expect(await ask(nodes).catch((error: Error) => error.message)).toBe(expected);
  });

  it('DenyAdmission refuses what is written, in the words of a webhook', async () => {
    const { ask } = await member({ type: 'DenyAdmission', message: 'no new namespaces' });
    expect(await ask('/api/v1/namespaces', namespace)).toBe(
      '403 admission webhook "simulated.gitfleet.dev" denied the request: no new namespaces',
    );
  });

  it('Hang sends nothing until the client aborts', async () => {
    const { ask } = await member({ type: 'Hang' });
    const gone = new AbortController();
    const asked = ask(nodes, { signal: gone.signal });
    gone.abort(new Error('gave up'));
    await expect(asked).rejects.toThrow('gave up');
  });

  it.each(['Latency', 'SlowBody'])('%s responds late, on the clock of the simulation', async (type) => {
    const { ask, clock } = await member({ type, seconds: 5 });
    let answer = '';
    const asked = ask(nodes).then((text) => {
      answer = text;
    });
    const turns = async () => {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    };
    for (let step = 0; step < 49; step++) {
      await turns();
      clock.advance(100);
    }
    await turns();
    expect(answer).toBe('');
    for (let step = 0; step < 2; step++) {
      clock.advance(500);
      await turns();
    }
    await asked;
    expect(answer).toBe('200 NodeList');
  });

  it('SilentWatch accepts a watch and sends nothing', async () => {
    const { send } = await member({ type: 'SilentWatch' });
    const gone = new AbortController();
    const { status, body } = await send({
      method: 'GET',
      path: `${nodes}?watch=true`,
      headers: {},
      signal: gone.signal,
    });
    expect(status).toBe(200);
    const first = body[Symbol.asyncIterator]()
      .next()
      .then(
        ({ done }) => (done ? 'the end' : 'an event'),
        () => 'the end',
      );
    gone.abort();
    expect(await first).toBe('the end');
  });

  it('StaleRead returns an earlier state', async () => {
    const { opened, ask, clock, send } = await member();
    clock.advance(10_000);
    await ask('/api/v1/namespaces', namespace);
    opened.setFaults([simulatedFault.parse({ type: 'StaleRead', seconds: 5 })]);
    expect(await ask('/api/v1/namespaces/x')).toBe('404 namespaces "x" not found');
    clock.advance(6_000);
    expect(await ask('/api/v1/namespaces/x')).toBe('200 Namespace');
    expect((await send({ method: 'GET', path: '/version', headers: {} })).status).toBe(200);
  });
});

describe('a fault that could never act is refused', () => {
  it.each([
    [
      { type: 'Hang', fromSeconds: 10, untilSeconds: 10 },
      'untilSeconds: must be more than fromSeconds (10): the fault would never be active\nwrite a later one',
    ],
    [
      { type: 'SilentWatch', verbs: ['get'] },
      'verbs: must name one of watch: SilentWatch affects no other verbs\nadd one of them, or remove verbs',
    ],
    [
      { type: 'StaleRead', seconds: 1, verbs: ['watch'] },
      'verbs: must name one of get, list: StaleRead affects no other verbs\nadd one of them, or remove verbs',
    ],
    [
      { type: 'DenyAdmission', verbs: ['get', 'watch'] },
      'verbs: must name one of create, update, patch, delete: DenyAdmission affects no other verbs\nadd one of them, or remove verbs',
    ],
  ])('%j', (fault, expected) => {
    const { error } = simulatedFault.safeParse(fault);
    expect(error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([expected]);
  });
});

describe('a fault is active', () => {
  it('from its start until its end', async () => {
    const { ask, clock } = await member({ type: 'Unauthorized', fromSeconds: 10, untilSeconds: 20 });
    const reported: string[] = [];
    for (const ms of [9_999, 1, 9_999, 1]) {
      clock.advance(ms);
      reported.push((await ask(nodes)).slice(0, 3));
    }
    expect(reported).toEqual(['200', '401', '401', '200']);
  });

  it.each([
    ['verbs', { verbs: ['create'] }, ['200', '503']],
    ['plural', { resources: ['namespaces'] }, ['200', '503']],
    ['another resource', { resources: ['deployments.apps'] }, ['200', '201']],
    ['all', {}, ['503', '503']],
  ])('for the requests that it names: %s', async (_, fields, expected) => {
    const { ask } = await member({ type: 'ServerError', status: 503, ...fields });
    expect([(await ask(nodes)).slice(0, 3), (await ask('/api/v1/namespaces', namespace)).slice(0, 3)]).toEqual(
      expected,
    );
  });

  it('for a part of them, the same part every time', async () => {
    const drawn = async () => {
      const { ask } = await member({ type: 'Unauthorized', probability: 0.5 });
      const reported: string[] = [];
      for (let time = 0; time < 40; time++) reported.push((await ask(nodes)).slice(0, 3));
      return reported;
    };
    const first = await drawn();
    expect(await drawn()).toEqual(first);
    const hit = first.filter((status) => status === '401').length;
    expect(hit).toBeGreaterThan(8);
    expect(hit).toBeLessThan(32);
  });
});
