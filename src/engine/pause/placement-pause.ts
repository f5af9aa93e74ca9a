import type { Fleet } from '../input.ts';
import type { PlacementWork } from '../placement-work.ts';
import { lostLastGood } from '../recovery/lost-last-good.ts';
import type { Pause, Paused } from './pause.ts';

/** An annotation that pauses a placement until it is removed; its value is the reason. */
export const suspendedAnnotation = 'gitfleet.dev/suspended';

/**
 * The pause of a placement: until files are fixed where its last good version is lost, else its own suspension, else the
 * freeze of the fleet. Only a freeze ends by time.
 */
export function placementPause(
  work: Pick<PlacementWork, 'placement' | 'resourceSnapshots' | 'contents'>,
  world: { readonly pause: Pause; readonly input: { readonly fleet: Fleet } },
): Pause {
  return lastGoodLost(work, world.input.fleet) ?? suspension(work) ?? world.pause;
}

/** The pause while the desired state is unknown: a file is invalid, and its last good version was lost with the record. */
export function lastGoodLost(
  work: Pick<PlacementWork, 'resourceSnapshots' | 'contents'>,
  fleet: Fleet,
): Paused | undefined {
  const file = lostLastGood(work, fleet);
  if (file === undefined) return undefined;
  const endsWhen = `${file} is fixed: the record was lost, and with it the last good version of the objects in that file`;
  return { kind: 'paused', endsWhen, until: undefined, cause: 'RecordLost' };
}

function suspension({ placement: { metadata } }: Pick<PlacementWork, 'placement'>): Paused | undefined {
  const reason = metadata.annotations?.[suspendedAnnotation];
  if (reason === undefined) return undefined;
  const endsWhen = `the annotation ${suspendedAnnotation}${reason === '' ? '' : ` (${reason})`} of ${metadata.name} is removed`;
  return { kind: 'paused', endsWhen, until: undefined };
}
