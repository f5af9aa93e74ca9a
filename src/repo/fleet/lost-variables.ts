import type { Problem } from '../../api/problem.ts';
import { type Fleet, sourceKey } from '../../engine/input.ts';

/**
 * Variables of overrides that are filled in nowhere: misspelt ones, which KubeFleet leaves as they stand, and labels that no
 * cluster has, with which the override fails wherever it applies. Warnings.
 */
export function lostVariables({ overrides, members, sources }: Fleet): Problem[] {
  const labels = new Set<string>(members.flatMap(({ metadata }) => Object.keys(metadata.labels ?? {})));
  return overrides.flatMap(({ kind, metadata, spec }) =>
    spec.policy.overrideRules.flatMap(({ jsonPatchOverrides = [] }, rule) =>
      jsonPatchOverrides.flatMap(({ value }, patch) =>
        [...JSON.stringify(value ?? null).matchAll(/\$\{MEMBER-CLUSTER[^}"]*\}/g)].flatMap(([variable]) => {
          const why = whyLost(variable, labels);
          if (why === undefined) return [];
          return [
            {
              severity: 'warning' as const,
              code: 'lost-variable',
              ...sources?.get(sourceKey(kind, metadata)),
              path: `spec.policy.overrideRules.${rule}.jsonPatchOverrides.${patch}.value`,
              message: `${kind} ${metadata.name}: ${why}`,
              fix: 'write ${MEMBER-CLUSTER-NAME}, or ${MEMBER-CLUSTER-LABEL-KEY-<key>} with a label of the clusters',
            },
          ];
        }),
      ),
    ),
  );
}

function whyLost(variable: string, labels: ReadonlySet<string>): string | undefined {
  if (variable === '${MEMBER-CLUSTER-NAME}') return undefined;
  const key = /^\$\{MEMBER-CLUSTER-LABEL-KEY-(.*)\}$/.exec(variable)?.[1];
  if (key === undefined) return `there is no variable ${variable}, so it stays in the text`;
  return labels.has(key) || key.includes('${') ? undefined : `${variable}: no cluster has a label ${key}`;
}
