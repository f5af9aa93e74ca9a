import { placementKey } from '../../api/placement.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { titleOf } from '../../repo/title-of.ts';
import { suspensions } from '../../report/suspensions.ts';
import type { Told } from './told.ts';

/** Placements that somebody suspended, and those that may go on. */
export function aboutSuspensions(before: Plan | undefined, next: Plan): Told[] {
  const [was, is] = [before ? suspensions(before) : new Map<string, string>(), suspensions(next)];
  return next.placements.flatMap((placement): Told[] => {
    const [old, now] = [was.get(placementKey(placement)), is.get(placementKey(placement))];
    const subject = titleOf(placement);
    if (now === old) return [];
    if (now === undefined) return [{ tone: 'decided', subject, text: 'not suspended any more' }];
    return [
      {
        tone: 'waiting',
        subject,
        text: `suspended${now === '' ? '' : ` (${now})`}: its rollout waits until that ends`,
      },
    ];
  });
}
