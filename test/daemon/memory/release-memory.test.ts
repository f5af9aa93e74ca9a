import { describe, expect, it } from 'vitest';
import {
  collectGarbage,
  processUsage,
  releaseMemoryAtRest,
  type Usage,
} from '../../../src/daemon/memory/release-memory.ts';
import type { Clock } from '../../../src/members/clock.ts';

const mb = 2 ** 20;

/** Every sample reads the next usage: processor time of the five seconds before it, and the heap after them. */
async function run(
  samples: readonly (readonly [processorMs: number, heapMb: number])[],
  { leavesMb = 100, fails }: { readonly leavesMb?: number; readonly fails?: Error } = {},
) {
  let due: (() => void) | undefined;
  const clock: Clock = {
    now: () => 0,
    after(_ms, then) {
      due = then;
      return () => (due = undefined);
    },
  };
  let usage: Usage = { processorMs: 0, residentBytes: 60 * mb };
  const collectedAt: number[] = [];
  const released: number[] = [];
  const cannot: unknown[] = [];
  let at = -1;
  const stop = releaseMemoryAtRest({
    clock,
    usage: () => usage,
    async collect() {
      collectedAt.push(at);
      if (fails) throw fails;
      usage = { processorMs: usage.processorMs + 2_000, residentBytes: leavesMb * mb };
    },
    released: (bytes) => released.push(bytes / mb),
    cannot: (error) => cannot.push(error),
  });
  for (const [processorMs, heapMb] of samples) {
    at++;
    usage = { processorMs: usage.processorMs + processorMs, residentBytes: heapMb * mb };
    const now = due;
    due = undefined;
    now?.();
    await new Promise(setImmediate);
  }
  const goesOn = due !== undefined;
  stop();
  return { collectedAt, released, cannot, goesOn, waits: due !== undefined };
}

describe('memory is released', () => {
  it.each<[string, readonly (readonly [number, number])[], readonly number[]]>([
    [
      'at the second restful sample in a row',
      [
        [4_000, 900],
        [400, 900],
        [100, 900],
        [100, 100],
      ],
      [2],
    ],
    [
      'not while there is work',
      [
        [4_000, 900],
        [500, 900],
        [4_000, 900],
        [400, 900],
      ],
      [],
    ],
    [
      'not for a heap that grew by less than 64 MB',
      [
        [100, 124],
        [100, 124],
        [100, 124],
      ],
      [],
    ],
    [
      'again when the heap has grown by half and by 64 MB',
      [
        [9, 900],
        [9, 900],
        [9, 164],
        [9, 164],
        [9, 165],
      ],
      [1, 4],
    ],
  ])('%s', async (_rule, samples, expected) => {
    expect((await run(samples)).collectedAt).toEqual(expected);
  });

  it('by half of a large heap that stays large, not by 64 MB of it', async () => {
    const samples = [900, 900, 1_000, 1_000, 1_201, 1_201].map((heapMb) => [9, heapMb] as const);
    const { collectedAt, released, goesOn, waits } = await run(samples, { leavesMb: 800 });
    expect({ collectedAt, released, goesOn, waits }).toEqual({
      collectedAt: [1, 4],
      released: [100, 401],
      goesOn: true,
      waits: false,
    });
  });

  it('no more when garbage cannot be collected, which is reported once', async () => {
    const fails = new Error('Inspector is not available');
    const samples = [900, 900, 900, 900].map((heapMb) => [9, heapMb] as const);
    expect(await run(samples, { fails })).toEqual({
      collectedAt: [1],
      released: [],
      cannot: [fails],
      goesOn: false,
      waits: false,
    });
  });
});

it('garbage is collected and its pages are released', async () => {
  let held: object[] | undefined = Array.from({ length: 500_000 }, (_, at) => ({ at, text: [at] }));
  const { residentBytes: full } = processUsage();
  expect(held.length).toBe(500_000);
  held = undefined;
  await collectGarbage();
  expect(full - processUsage().residentBytes).toBeGreaterThan(16 * mb);
});
