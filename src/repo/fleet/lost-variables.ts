import type { Problem } from '../../api/problem.ts';
import { nearest } from '../../api/syntax.ts';
import type { Fleet } from '../../engine/input.ts';
import { fieldWarning } from './field-warning.ts';

/**
 * Warnings about unknown variables of overrides: misspelt ones, which KubeFleet leaves in the text, and labels that no cluster has,
 * with which the override fails everywhere.
 */
export function lostVariables(fleet: Fleet): Problem[] {
  const { overrides, members } = fleet;
  const labels = new Set<string>(members.flatMap(({ metadata }) => Object.keys(metadata.labels ?? {})));
  return overrides.flatMap(({ kind, metadata, spec }) =>
    spec.policy.overrideRules.flatMap(({ jsonPatchOverrides = [] }, rule) =>
      jsonPatchOverrides.flatMap(({ value }, patch) =>
        [...JSON.stringify(value ?? null).matchAll(variables)].flatMap(([variable]) => {
          const lost = lostAs(variable, labels);
          if (lost === undefined) return [];
          const path = `spec.policy.overrideRules.${rule}.jsonPatchOverrides.${patch}.value`;
          const fix = lost.meant === undefined ? known : `did you mean ${lost.meant}?`;
          return [fieldWarning(fleet, { kind, ...metadata }, { code: 'lost-variable', path, why: lost.why, fix })];
        }),
      ),
    ),
  );
}

/** Texts similar to a variable: other brackets, case or separators. */
const variables = /\$[{(]\s*MEMBER[-_.]?CLUSTER[^})"]*[})]/gi;
const nameVariable = '${MEMBER-CLUSTER-NAME}';
const labelVariable = (key: string): string => `\${MEMBER-CLUSTER-LABEL-KEY-${key}}`;
const known = `write ${nameVariable}, or ${labelVariable('<key>')} with a label of the clusters`;

function lostAs(
  variable: string,
  labels: ReadonlySet<string>,
): { readonly why: string; readonly meant?: string | undefined } | undefined {
  if (variable === nameVariable) return undefined;
  const key = /^\$\{MEMBER-CLUSTER-LABEL-KEY-(.*)\}$/.exec(variable)?.[1];
  if (key === undefined)
    return { why: `there is no variable ${variable}, so it stays in the text`, meant: meantBy(variable, labels) };
  if (labels.has(key) || key.includes('${')) return undefined;
  const like = nearest(key, [...labels]);
  return { why: `${variable}: no cluster has a label ${key}`, meant: like && labelVariable(like) };
}

function meantBy(variable: string, labels: ReadonlySet<string>): string | undefined {
  const key = /LABEL[-_.]?KEYS?[-_.](.*)[})]$/i.exec(variable)?.[1];
  const word = /CLUSTER[-_.]?(\w*)\s*[})]$/i.exec(variable)?.[1] ?? '';
  if (key === undefined) return nearest(word, ['NAME']) && nameVariable;
  const found = labels.has(key) ? key : nearest(key, [...labels]);
  return found && labelVariable(found);
}
