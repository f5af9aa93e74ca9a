import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DaemonHttp, serveHttp } from '../../src/daemon/http.ts';
import { metrics } from '../../src/daemon/report/metrics.ts';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { removeFolders } from '../support/folders.ts';
import { cli } from '../support/run-cli.ts';
import { shop } from '../support/shop.ts';

let fleet: FleetOnGit;
let daemon: DaemonHttp;
let hints = 0;
let passes: Promise<unknown> = Promise.resolve();
beforeAll(async () => {
  fleet = await FleetOnGit.open(shop);
  daemon = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    health: { stuck: () => undefined, notReady: () => undefined },
    metrics: metrics(),
    webhookSecret: 'a secret',
    hinted: () => {
      hints++;
      passes = passes.then(() => fleet.pass());
    },
  });
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  await passes;
  await daemon.close();
  removeFolders();
});

const reconcile = (...args: string[]) => cli('reconcile', '--repo', fleet.dir, ...args);
const there = () => ['--daemon', `http://127.0.0.1:${daemon.port}`];

describe('reconcile', () => {
  it('notifies the daemon and waits until the status has the newest commit', async () => {
    vi.stubEnv('GITFLEET_WEBHOOK_SECRET', 'a secret');
    const commit = fleet.commit({ 'README.md': 'Hello\n' }, 'Say hello');
    expect(await reconcile(...there())).toEqual({
      code: 0,
      out: `the status is of commit ${commit.slice(0, 12)}\n`,
      err: '',
    });
    expect(hints).toBe(1);
    expect(await reconcile(...there(), '--no-wait')).toEqual({ code: 0, out: 'the daemon reconciles now\n', err: '' });
  });

  it('without the secret reports that it is unknown whether the daemon runs, when the status was current', async () => {
    vi.stubEnv('GITFLEET_WEBHOOK_SECRET', undefined);
    await passes;
    const commit = fleet.git('rev-parse', '--short=12', 'main');
    expect(await reconcile()).toEqual({
      code: 0,
      out: `the status is of commit ${commit}\n`,
      err: expect.stringMatching(
        /^note: GITFLEET_WEBHOOK_SECRET is not set, .*\nnote: the status was already current: gitfleet committed at \S+Z \(.+\); it is unknown whether gitfleet run is running\n$/,
      ),
    });
  });

  it('without the secret only waits, and reports that it does', async () => {
    vi.stubEnv('GITFLEET_WEBHOOK_SECRET', undefined);
    fleet.commit({ 'README.md': 'Hello again\n' }, 'Say hello again');
    expect(await reconcile('--timeout', '0s')).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^note: GITFLEET_WEBHOOK_SECRET is not set, .*\ngitfleet: timed out after 0s, still missing: a status of commit [0-9a-f]{12}: the branch has that of [0-9a-f]{12}, which gitfleet committed at \S+Z \(.+\); is gitfleet run running\?\n$/,
      ),
    });
  });

  it.each([
    ['another secret', () => there(), 3, 'refused (401): the signature does not match'],
    ['a secret', () => ['--daemon', 'http://127.0.0.1:1'], 3, '--daemon http://127.0.0.1:1 does not respond: '],
    ['a secret', () => ['--daemon', 'here'], 2, '--daemon here is not an address'],
    ['a secret', () => [...there(), '--timeout', 'soon'], 2, '--timeout soon is not a duration'],
  ])('secret %j: %s', async (secret, args, code, message) => {
    vi.stubEnv('GITFLEET_WEBHOOK_SECRET', secret);
    const ran = await reconcile(...args());
    expect({ ...ran, err: ran.err.includes(message) ? message : ran.err }).toEqual({ code, out: '', err: message });
  });
});
