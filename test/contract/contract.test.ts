import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest';
import { applying } from './applying.ts';
import { controlled } from './controlled.ts';
import { definitions } from './definitions.ts';
import { delivering } from './delivering.ts';
import { paging } from './paging.ts';
import { refusing } from './refusing.ts';
import { removing } from './removing.ts';
import type { ContractServer } from './server.ts';
import { contractServers, howToRunOnARealServer } from './servers.ts';
import { openSession, type Session } from './session.ts';
import { statuses } from './statuses.ts';
import { strictness } from './strictness.ts';
import { watching } from './watching.ts';

const servers = contractServers(process.env);

describe.each(servers)('$name', ({ open }) => {
  let server: ContractServer | undefined;
  let session: Session | undefined;

  beforeAll(async () => {
    server = await open();
  }, 120_000);
  afterAll(() => server?.close(), 60_000);
  beforeEach(async () => {
    session = await openSession(server!);
  });
  afterEach(async () => {
    await session?.close();
    session = undefined;
  });

  const now = (): Session => session!;
  describe('server-side apply', () => applying(now));
  describe('what is refused', () => refusing(now));
  describe('what is refused as a mistake', () => strictness(now));
  describe('the status of an object', () => statuses(now));
  describe('watches', () => watching(now));
  describe('lists in pages', () => paging(now));
  describe('removal', () => removing(now));
  describe('a controller manager', () => controlled(now));
  describe('custom resources', () => definitions(now));
  describe('our own appliers and reflectors', () => delivering(now));
});

if (servers.length === 1) {
  console.warn(howToRunOnARealServer);
  it.skip('a real API server: none is named, see above', () => {});
}
