import type { Hold } from '../../engine/plan-document.ts';

/** What a hold is about, for people: `shop/web · production · eu-1`, as far as it names them. */
export const holdSubject = ({ namespace, name, stage, clusterName }: Hold['subject']): string =>
  [namespace === undefined ? name : `${namespace}/${name}`, stage, clusterName].filter(Boolean).join(' · ');
