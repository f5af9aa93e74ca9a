import type { Hold } from '../engine/plan-document.ts';
import { titleOf } from '../repo/title-of.ts';

/**
 * What a hold is about, for people: `shop/web · production · eu-1`, as far as it names them. Of what is not rolled out by itself,
 * but selected or settled by, the kind stands in front: a Deployment and its ConfigMap often have one name.
 */
export const holdSubject = (subject: Hold['subject']): string =>
  [titled(subject), subject.stage, subject.clusterName].filter(Boolean).join(' · ');

const titled = (subject: Hold['subject']): string =>
  movedKinds.test(subject.kind) ? titleOf(subject) : `${subject.kind} ${titleOf(subject)}`;

const movedKinds = /Placement$|UpdateRun$|Eviction$/;
