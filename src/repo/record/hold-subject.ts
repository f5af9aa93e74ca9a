import type { Hold } from '../../engine/plan-document.ts';
import { titleOf } from '../title-of.ts';

/** What a hold is about, for people: `shop/web · production · eu-1`, as far as it names them. */
export const holdSubject = (subject: Hold['subject']): string =>
  [titleOf(subject), subject.stage, subject.clusterName].filter(Boolean).join(' · ');
