import { expect, it } from 'vitest';
import { openLog } from '../../../src/daemon/report/log.ts';

async function logged(level: string | undefined, write: (log: Awaited<ReturnType<typeof openLog>>) => void) {
  const lines: string[] = [];
  const to = { write: (line: string) => void lines.push(line) };
  write(await openLog({ ...(level === undefined ? {} : { level }), pretty: false, to }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('a line is JSON with ts, level, msg and its fields, nothing about the machine', async () => {
  const [line] = await logged(undefined, (log) => log.info({ cluster: 'eu-1', commit: 'abc' }, 'it works'));
  expect(line).toEqual({
    ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    level: 'info',
    msg: 'it works',
    cluster: 'eu-1',
    commit: 'abc',
  });
});

it('the level decides what is written', async () => {
  const levels = async (level: string | undefined) =>
    (
      await logged(level, (log) => {
        log.debug('d');
        log.info('i');
        log.error('e');
      })
    ).map(({ msg }) => msg);
  expect([await levels('debug'), await levels(undefined), await levels('error'), await levels('silent')]).toEqual([
    ['d', 'i', 'e'],
    ['i', 'e'],
    ['e'],
    [],
  ]);
});

it.each(['token', 'password', 'authorization', 'secret', 'data', 'stringData'])(
  'the value of %s is never written, however deep in a line it stands',
  async (name) => {
    const held = { [name]: 'hunter2' };
    const lines = await logged('trace', (log) => {
      log.info(held, 'top');
      log.info({ one: held }, 'one deep');
      log.info({ one: { two: held } }, 'two deep');
      log.info({ headers: { authorization: 'hunter2' } }, 'headers');
      log.error({ err: Object.assign(new Error('refused'), { request: held }) }, 'error');
    });
    expect(lines).toHaveLength(5);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  },
);
