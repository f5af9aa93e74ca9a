import { evictionResult } from '../../engine/evict/result.ts';
import type { Plan } from '../../engine/plan-document.ts';
import type { Told } from './told.ts';

/** What came of evictions; each has one result, and keeps it. */
export const aboutEvictions = (before: Plan | undefined, next: Plan): Told[] =>
  next.evictions.flatMap(({ name, placementName, clusterName, status }): Told[] => {
    const result = evictionResult(status.conditions);
    const old = before?.evictions.find((eviction) => eviction.name === name);
    if (result === undefined || evictionResult(old?.status.conditions)) return [];
    const [tone, sign] = result.executed ? (['good', '✓'] as const) : (['bad', '✗'] as const);
    return [{ tone, subject: name, text: `${sign} eviction of ${placementName} from ${clusterName} ${result.text}` }];
  });
