import type { Labels } from '../kernel/selector.ts';

export type Resolved =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false /** One sentence. */; readonly message: string };

/**
 * Replaces KubeFleet's variables in the JSON text of a value, as raw text: first `${MEMBER-CLUSTER-NAME}` everywhere, then
 * `${MEMBER-CLUSTER-LABEL-KEY-<key>}` from the left until none remains, also those in label values. A label that the cluster does
 * not have and a missing `}` are errors.
 */
export function replaceVariables(text: string, cluster: { readonly name: string; readonly labels: Labels }): Resolved {
  let filled = text.replaceAll(nameVariable, () => cluster.name);
  for (let round = 0; round < mostRounds; round++) {
    const start = filled.indexOf(labelPrefix);
    if (start < 0) return { ok: true, text: filled };
    const end = filled.indexOf('}', start + labelPrefix.length);
    if (end < 0) return { ok: false, message: `${labelPrefix} has no closing "}"` };
    const key = filled.slice(start + labelPrefix.length, end);
    const value = Object.hasOwn(cluster.labels, key) ? cluster.labels[key] : undefined;
    if (value === undefined)
      return { ok: false, message: `cluster ${cluster.name} has no label ${JSON.stringify(key)}` };
    filled = filled.slice(0, start) + value + filled.slice(end + 1);
  }
  return { ok: false, message: `variables remain after ${mostRounds} replacements: a label contains itself` };
}

/** Whether the text has variables; most values have none and are shared by all clusters. */
export const hasVariables = (text: string): boolean => text.includes(nameVariable) || text.includes(labelPrefix);

const nameVariable = '${MEMBER-CLUSTER-NAME}';
const labelPrefix = '${MEMBER-CLUSTER-LABEL-KEY-';
/** Only a label whose value contains its own variable reaches this. */
const mostRounds = 10_000;
