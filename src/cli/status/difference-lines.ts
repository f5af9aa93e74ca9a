import { isWhole } from '../../engine/bindings/conditions/patch-details.ts';
import type { ObjectState } from './object-state.ts';

/** `/spec/replicas: 5 (by kubectl-edit), should be 2`, one line for each reported difference of an object. */
export const differenceLines = ({ drifted, diffed }: Pick<ObjectState, 'drifted' | 'diffed'>): string[] =>
  [...(drifted?.observedDrifts ?? []), ...(diffed?.observedDiffs ?? [])].map((detail) => {
    const { path, valueInMember = '<none>', valueInHub = '<none>', manager, repaired } = detail;
    if (isWhole(detail)) return repaired === true ? 'was missing on the member, restored' : 'is missing on the member';
    const by = manager === undefined ? '' : ` (by ${manager})`;
    return repaired === true
      ? `${path}: was ${valueInMember}${by}, repaired to ${valueInHub}`
      : `${path}: ${valueInMember}${by}, should be ${valueInHub}`;
  });
