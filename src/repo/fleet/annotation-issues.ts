import { type Issue, warning } from '../../api/issue.ts';
import type { FleetObject } from '../../api/kinds.ts';
import { progressDeadlineAnnotation } from '../../api/run-annotations.ts';
import { nearest } from '../../api/syntax.ts';
import { groupLabel } from '../../engine/upgrade/select-members.ts';
import { fleetRowOf } from './kinds/rows.ts';

const prefix = 'gitfleet.dev/';

/** Annotations of files on the status branch, which may have been copied from there. */
const written: ReadonlySet<string> = new Set(['gitfleet.dev/record-lost', 'gitfleet.dev/commit']);

/** Where it belongs what is written as an annotation, by kind and key. */
const elsewhere: Readonly<Record<string, string>> = {
  [`MemberCluster ${groupLabel}`]: 'it is a label: move it to metadata.labels',
  [`UpdateRun ${progressDeadlineAnnotation}`]: 'it is a field: write spec.progressDeadline',
};

/** Warnings about gitfleet annotations without effect: misspelt, on another kind, or with another value. */
export function annotationIssues({ kind, metadata }: FleetObject): Issue[] {
  const known = fleetRowOf({ kind }).annotations ?? {};
  return Object.entries(metadata?.annotations ?? {}).flatMap(([key, value]): Issue[] => {
    if (!key.startsWith(prefix) || written.has(key)) return [];
    const path = ['metadata', 'annotations', key];
    if (!Object.hasOwn(known, key)) {
      const like = nearest(key.slice(prefix.length), Object.keys(known).map(nameOf));
      const other = like === undefined ? `remove ${key}` : `did you mean ${prefix}${like}?`;
      const fix = elsewhere[`${kind} ${key}`] ?? other;
      return [warning('unknown-annotation', path, `nothing reads ${key} of a ${kind}`, fix)];
    }
    const valid = known[key] === undefined ? [value] : [known[key]].flat();
    if (valid.includes(value)) return [];
    const [only, ...others] = valid;
    const message =
      others.length === 0
        ? `the only value of ${key} that has an effect is ${only}`
        : `"${value}" is no value of ${key} that has an effect`;
    const fix = others.length === 0 ? `write ${only}` : `write one of ${valid.join(', ')}`;
    return [warning('unknown-annotation', path, message, fix)];
  });
}

/** Warnings about labels of a member without effect: a misspelt group would leave it out of every upgrade without a word. */
export function labelIssues({ kind, metadata }: FleetObject): Issue[] {
  if (kind !== 'MemberCluster') return [];
  const annotations = fleetRowOf({ kind }).annotations ?? {};
  return Object.keys(metadata.labels ?? {}).flatMap((key): Issue[] => {
    if (!key.startsWith(prefix) || key === groupLabel) return [];
    const isAnnotation = Object.hasOwn(annotations, key);
    // A label of a team's own may have any name.
    if (!isAnnotation && nearest(nameOf(key), [nameOf(groupLabel)]) === undefined) return [];
    const fix = isAnnotation ? 'it is an annotation: move it to metadata.annotations' : `did you mean ${groupLabel}?`;
    return [warning('no-use', ['metadata', 'labels', key], `nothing reads the label ${key} of a ${kind}`, fix)];
  });
}

const nameOf = (key: string): string => key.slice(prefix.length);
