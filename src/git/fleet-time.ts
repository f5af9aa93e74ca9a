import type { Commit } from './objects/commit.ts';

/**
 * Where the fleet's time runs ahead of real time, as in a demo, a status commit is dated in real time and names the fleet's in its
 * message: git's tools should show no commit of the future.
 */
export const withFleetTime = (message: string, at: number | undefined): string =>
  at === undefined
    ? message
    : `${message}${endsInTrailers(message) ? '\n' : '\n\n'}Fleet-Time: ${new Date(at).toISOString()}`;

/** git reads only the last paragraph of a message as trailers. */
const endsInTrailers = (message: string): boolean => /\n\n(?:[A-Za-z][\w-]*: .*\n?)+$/.test(message);

/** The present in the fleet's time, which is never before its last status was made (`at`). Milliseconds since the epoch. */
export const presentOf = (at = 0): number => Math.max(Date.now(), at);

/** When a status commit was made in the fleet's time, milliseconds since the epoch. */
export function fleetTimeOf({ message, committer }: Commit): number {
  const at = Date.parse(/^Fleet-Time: (\S+)$/m.exec(message)?.[1] ?? '');
  return Number.isNaN(at) ? committer.at : at;
}
