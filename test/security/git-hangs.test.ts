import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { openDaemon } from '../../src/daemon/open.ts';
import { openLog } from '../../src/daemon/report/log.ts';
import { systemClock } from '../../src/members/clock.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { author } from '../support/git-repository.ts';

afterAll(removeFolders);

const intervalMs = 50;

it('a git server that accepts connections and never responds does not fail /healthz; /readyz reports that no reconciliation has succeeded', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const opened = await openDaemon({
    repo: `http://127.0.0.1:${port}/fleet.git`,
    branch: 'main',
    statusBranch: 'fleet-status',
    watchMembers: 1,
    connect: async () => undefined,
    cacheDir: folder(),
    intervalMs,
    publishIntervalMs: 0,
    listen: { host: '127.0.0.1', port: 0 },
    webhookSecret: undefined,
    acceptRewind: undefined,
    author,
    graceMs: 0,
    clock: systemClock,
    pace: systemClock,
    log: await openLog({ level: 'silent', pretty: false }),
  });
  const running = opened.daemon.run();
  const asked = once(server, 'connection');
  await asked;
  await pause(10 * intervalMs);
  const status = async (path: string) => (await fetch(`http://127.0.0.1:${opened.http!.port}${path}`)).status;
  expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503]);
  opened.daemon.stop();
  await running;
  await opened.close();
  server.close();
});
