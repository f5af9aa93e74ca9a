import { at, fieldsAt, listAt } from '../../../engine/kernel/at.ts';
import { requirementsOfTerm } from '../../../engine/node-pools/node-terms.ts';
import { allowsLabels } from '../../../engine/node-pools/requirements.ts';
import { type Taint, taintsAt, tolerates } from '../../../engine/node-pools/taints.ts';
import type { Stored } from '../../object.ts';
import { isTrue } from '../conditions.ts';

/** Why a node cannot run a pod regardless of its free resources, in the scheduler's words; undefined if it can. */
export function misfit(pod: Stored, node: Stored): string | undefined {
  const tolerations = listAt(pod, 'spec', 'tolerations');
  const taint = taintsOf(node).find((item) => item.effect !== 'PreferNoSchedule' && !tolerates(tolerations, item));
  if (taint?.key === unschedulable) return 'node(s) were unschedulable';
  if (taint !== undefined) return `node(s) had untolerated taint {${taint.key}: ${taint.value}}`;
  return matchesNode(pod, node) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

const unschedulable = 'node.kubernetes.io/unschedulable';

/** The taints of a node, and those that follow from its state. */
export function taintsOf(node: Stored): readonly Taint[] {
  const own = taintsAt(node, 'spec', 'taints');
  return [
    ...own,
    ...(at(node, 'spec', 'unschedulable') === true && !own.some(({ key }) => key === unschedulable)
      ? [{ key: unschedulable, value: '', effect: 'NoSchedule' }]
      : []),
    ...(isTrue(node, 'Ready') ? [] : [{ key: 'node.kubernetes.io/not-ready', value: '', effect: 'NoSchedule' }]),
  ];
}

/** The node selector and the required node affinity of a pod (or of a pod template, given as a pod). */
export function matchesNode(pod: unknown, node: Stored): boolean {
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(fieldsAt(pod, 'spec', 'nodeSelector'));
  if (selector.some(([key, value]) => labels[key] !== value)) return false;
  const required = at(pod, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  if (required === undefined) return true;
  const byField = { 'metadata.name': node.metadata.name };
  // Terms are alternatives; an empty one matches nothing.
  return listAt(required, 'nodeSelectorTerms').some((term) => {
    const fields = listAt(term, 'matchFields');
    if (listAt(term, 'matchExpressions').length + fields.length === 0) return false;
    const ofFields = requirementsOfTerm({ matchExpressions: fields });
    return allowsLabels(requirementsOfTerm(term), labels) && allowsLabels(ofFields, byField);
  });
}
