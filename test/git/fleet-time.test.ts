import { expect, it } from 'vitest';
import { withFleetTime } from '../../src/git/fleet-time.ts';

it.each([
  ['web: snapshot 1', 'web: snapshot 1\n\nFleet-Time: 2026-11-20T10:00:00.000Z'],
  [
    'web: snapshot 1\n\nFor all: clusters.',
    'web: snapshot 1\n\nFor all: clusters.\n\nFleet-Time: 2026-11-20T10:00:00.000Z',
  ],
  [
    'web\n\nGitfleet-Commit: 1\nGitfleet-Plan: 2',
    'web\n\nGitfleet-Commit: 1\nGitfleet-Plan: 2\nFleet-Time: 2026-11-20T10:00:00.000Z',
  ],
])('is the last of the trailers of %j', (message, expected) => {
  expect(withFleetTime(message, Date.UTC(2026, 10, 20, 10))).toBe(expected);
});
