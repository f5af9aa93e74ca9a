import { lostLastGood } from '../admission/lost-last-good.ts';
import type { Fleet } from '../input.ts';
import type { PlacementWork } from '../working.ts';
import type { Freeze, Frozen } from './freeze.ts';

/** On a placement: it is frozen by itself until somebody takes the annotation away; the value says why. */
export const suspendedAnnotation = 'gitfleet.dev/suspended';

/**
 * The freeze that a placement is under: until files are mended where its last good version is lost, then its own suspension,
 * neither of which time ends, otherwise that of the fleet.
 */
export function freezeOf(
  work: Pick<PlacementWork, 'placement' | 'resourceSnapshots'>,
  world: { readonly freeze: Freeze; readonly input: { readonly fleet: Fleet } },
): Freeze {
  return whereLastGoodIsLost(work, world.input.fleet) ?? suspension(work) ?? world.freeze;
}

/** While it is unknown what the repo wants, since a broken file stands for what was lost with the record. */
export function whereLastGoodIsLost(
  { resourceSnapshots }: Pick<PlacementWork, 'resourceSnapshots'>,
  fleet: Fleet,
): Frozen | undefined {
  const broken = lostLastGood(resourceSnapshots, fleet);
  if (broken === undefined) return undefined;
  const words = `${broken} is mended: the record was lost, and with it the last good version of what that holds`;
  return { kind: 'frozen', words, until: undefined, cause: 'RecordLost' };
}

function suspension({ placement: { metadata } }: Pick<PlacementWork, 'placement'>): Frozen | undefined {
  const reason = metadata.annotations?.[suspendedAnnotation];
  if (reason === undefined) return undefined;
  const words = `the annotation ${suspendedAnnotation}${reason === '' ? '' : ` (${reason})`} of ${metadata.name} is taken away`;
  return { kind: 'frozen', words, until: undefined };
}
