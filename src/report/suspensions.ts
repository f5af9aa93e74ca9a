import type { PlacementKey } from '../api/meta.ts';
import { suspendedAnnotation } from '../engine/pause/placement-pause.ts';
import type { Plan } from '../engine/plan-document.ts';
import { recordedObjects } from '../repo/record/recorded-objects.ts';

/** Why each placement is suspended that is; an empty text where no reason is given. */
export const suspensions = (plan: Pick<Plan, 'record'>): ReadonlyMap<PlacementKey, string> =>
  new Map(
    [...recordedObjects('statuses', plan)].flatMap(([key, { value }]) => {
      const why = value.metadata.annotations?.[suspendedAnnotation];
      return why === undefined ? [] : [[key as PlacementKey, why] as const];
    }),
  );

/** `suspended (audit)`, or without the reason where none is given. */
export const suspendedText = (why: string): string => `suspended${why === '' ? '' : ` (${why})`}`;
