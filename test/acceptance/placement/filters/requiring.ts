import { indent, placement } from '../../../support/plan-command.ts';

export const requiring = (terms: string, type = 'placementType: PickAll'): string =>
  placement(`${type}
affinity:
  clusterAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      clusterSelectorTerms:
${indent(terms, 8)}`);

export const names = (list: readonly string[]): string => list.map((entry) => entry.split(' ')[0]).join(' ');
