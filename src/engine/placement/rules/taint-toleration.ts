import type { Taint } from '../../../api/member-cluster.ts';
import type { Toleration } from '../../../api/placement.ts';
import { everyRow, hasRow, removeRows } from '../compiled/bits.ts';
import { taintText } from '../taint-text.ts';
import type { Rule } from './rule.ts';

/** KubeFleet tainttoleration: every taint of a cluster must be tolerated. Decisions name the first that is not. */
export const taintToleration: Rule = {
  name: 'TaintToleration',
  facets: () => [{ kind: 'taints', textOf: ({ taints }) => taints.map(taintText).join(' ') }],
  // One per possible first untolerated taint, of which a member has up to 100, and one for none.
  variants: 101,
  filter({ spec }, index) {
    const isOpen = (taint: Taint): boolean =>
      !(spec.policy.tolerations ?? []).some((toleration) => tolerates(toleration, taint));
    const open = index.taints.filter(({ taint }) => isOpen(taint));
    if (open.length === 0) return undefined;
    const mask = everyRow(index.size);
    for (const { rows } of open) removeRows(mask, rows);
    const taintsOf = (row: number): readonly Taint[] => index.members[row]!.taints;
    return {
      mask,
      reasons: (row) => taintsOf(row).filter(isOpen).slice(0, 1).map(reasonFor),
      explain: (row) => ({ reasons: taintsOf(row).filter(isOpen).map(reasonFor) }),
      variant: (row) => (hasRow(mask, row) ? 0 : taintsOf(row).findIndex(isOpen) + 1),
    };
  },
};

const reasonFor = (taint: Taint): string => `taint ${taintText(taint)} is not tolerated`;

/** KubeFleet tainttoleration/filtering.go; an empty operator was made `Equal` when the file was loaded. */
export function tolerates({ key = '', operator, value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (operator === 'Exists') return key === '' || key === taint.key;
  return key === taint.key && value === (taint.value ?? '');
}
