import { at, fieldsAt, listAt, type Stored, textAt } from '../../object.ts';
import { isTrue } from '../conditions.ts';
import { fits } from '../selects.ts';

/** Why a node cannot run a pod regardless of its free resources, in the scheduler's words; undefined if it can. */
export function misfit(pod: Stored, node: Stored): string | undefined {
  const tolerations = listAt(pod, 'spec', 'tolerations');
  const taint = taintsOf(node).find(
    (item) => textAt(item, 'effect') !== 'PreferNoSchedule' && !tolerates(tolerations, item),
  );
  if (taint !== undefined) {
    if (textAt(taint, 'key') === unschedulable) return 'node(s) were unschedulable';
    const value = textAt(taint, 'value');
    return `node(s) had untolerated taint {${textAt(taint, 'key')}: ${value}}`;
  }
  return matchesNode(pod, node) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

const unschedulable = 'node.kubernetes.io/unschedulable';

/** The taints of a node, and those that follow from its state. */
export function taintsOf(node: Stored): readonly unknown[] {
  const own = listAt(node, 'spec', 'taints');
  return [
    ...own,
    ...(at(node, 'spec', 'unschedulable') === true && !own.some((taint) => textAt(taint, 'key') === unschedulable)
      ? [{ key: unschedulable, effect: 'NoSchedule' }]
      : []),
    ...(isTrue(node, 'Ready') ? [] : [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]),
  ];
}

export const tolerates = (tolerations: readonly unknown[], taint: unknown): boolean =>
  tolerations.some((toleration) => {
    const [key, effect] = [textAt(toleration, 'key'), textAt(toleration, 'effect')];
    if (effect !== '' && effect !== textAt(taint, 'effect')) return false;
    if (key !== '' && key !== textAt(taint, 'key')) return false;
    if (textAt(toleration, 'operator') === 'Exists') return true;
    return key !== '' && textAt(toleration, 'value') === textAt(taint, 'value');
  });

/** The node selector and the required node affinity of a pod (or of a pod template, given as a pod). */
export function matchesNode(pod: unknown, node: Stored): boolean {
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(fieldsAt(pod, 'spec', 'nodeSelector'));
  if (selector.some(([key, value]) => labels[key] !== value)) return false;
  const required = at(pod, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  if (required === undefined) return true;
  // Terms are alternatives; an empty one matches nothing.
  return listAt(required, 'nodeSelectorTerms').some((term) => {
    const [expressions, fields] = [listAt(term, 'matchExpressions'), listAt(term, 'matchFields')];
    if (expressions.length + fields.length === 0) return false;
    const byField = { 'metadata.name': node.metadata.name };
    return expressions.every((item) => fits(item, labels)) && fields.every((item) => fits(item, byField));
  });
}
