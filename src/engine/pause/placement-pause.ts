import type { Fleet } from '../input.ts';
import type { PlacementWork } from '../placement-work.ts';
import { lostLastGood } from '../recovery/lost-last-good.ts';
import type { Pause, Paused } from './pause.ts';

/** On a placement: it is paused by itself until someone removes the annotation; the value says why. */
export const suspendedAnnotation = 'gitfleet.dev/suspended';

/**
 * The pause that a placement is under: until files are corrected where its last good version is lost, then its own
 * suspension, neither of which time ends, otherwise the freeze of the fleet.
 */
export function placementPause(
  work: Pick<PlacementWork, 'placement' | 'resourceSnapshots'>,
  world: { readonly freeze: Pause; readonly input: { readonly fleet: Fleet } },
): Pause {
  return lastGoodLost(work, world.input.fleet) ?? suspension(work) ?? world.freeze;
}

/** While it is unknown what the repo wants, since a broken file stands for what was lost with the record. */
export function lastGoodLost(
  { resourceSnapshots }: Pick<PlacementWork, 'resourceSnapshots'>,
  fleet: Fleet,
): Paused | undefined {
  const broken = lostLastGood(resourceSnapshots, fleet);
  if (broken === undefined) return undefined;
  const words = `${broken} is mended: the record was lost, and with it the last good version of what that holds`;
  return { kind: 'paused', words, until: undefined, cause: 'RecordLost' };
}

function suspension({ placement: { metadata } }: Pick<PlacementWork, 'placement'>): Paused | undefined {
  const reason = metadata.annotations?.[suspendedAnnotation];
  if (reason === undefined) return undefined;
  const words = `the annotation ${suspendedAnnotation}${reason === '' ? '' : ` (${reason})`} of ${metadata.name} is taken away`;
  return { kind: 'paused', words, until: undefined };
}
