import type { Placement } from '../../api/placement.ts';
import type { Freeze } from './freeze.ts';

/** On a placement: it is frozen by itself until somebody takes the annotation away; the value says why. */
export const suspendedAnnotation = 'gitfleet.dev/suspended';

/** The freeze that a placement is under: its own suspension, which time does not end, otherwise that of the fleet. */
export function freezeOf({ metadata }: Placement, fleet: Freeze): Freeze {
  const reason = metadata.annotations?.[suspendedAnnotation];
  if (reason === undefined) return fleet;
  const words = `the annotation ${suspendedAnnotation}${reason === '' ? '' : ` (${reason})`} of ${metadata.name} is taken away`;
  return { kind: 'frozen', words, until: undefined };
}
