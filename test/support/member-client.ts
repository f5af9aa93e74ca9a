import { type MemberClient, memberClient } from '../../src/members/api-server/client.ts';
import { sharedLimits } from '../../src/members/api-server/shared-limits.ts';
import { manualClock } from '../../src/simulator/clock.ts';
import { begin } from './member-world.ts';

type Input = Parameters<typeof memberClient>[0];

/** A client of member `b`, with the usual limits, on a clock that stands still. */
export const clientOf = (input: Pick<Input, 'transport'> & Partial<Input>): MemberClient =>
  memberClient({
    name: 'b',
    clock: manualClock(begin),
    life: new AbortController().signal,
    shared: sharedLimits(),
    refused: () => {},
    ...input,
  });
