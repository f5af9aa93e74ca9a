import type { OverrideRule, OverrideSnapshot } from '../../api/override.ts';
import { memoize } from '../kernel/memoize.ts';
import { applyPatch, type PatchOperation } from './json-patch.ts';
import { labelsOf, type OverrideCluster, ruleMatches } from './lookup.ts';
import { snapshotId } from './snapshot-id.ts';
import { fillVariables, hasVariables } from './variables.ts';

/** What one override snapshot does on one cluster: its rules for that cluster, variables filled in. */
export interface EffectiveOverride {
  readonly id: string;
  readonly snapshot: OverrideSnapshot;
  readonly steps: readonly (EffectiveStep & { /** Index of the rule. */ readonly rule: number })[];
  /** Equal for clusters on which this snapshot does the same. */
  readonly key: string;
}

type EffectiveStep =
  | { readonly kind: 'delete' }
  | { readonly kind: 'patch'; readonly operations: readonly PatchOperation[] }
  /**
   * `at`: which patch of the rule. Becomes an error once an object is to be patched, not before: rules whose object is not
   * selected do no harm.
   */
  | { readonly kind: 'error'; readonly at: number; readonly message: string };

/** The rules of a snapshot that are for the cluster, in order. */
export function effectiveOn(snapshot: OverrideSnapshot, cluster: OverrideCluster): EffectiveOverride {
  const labels = labelsOf(cluster);
  const steps: EffectiveOverride['steps'][number][] = [];
  const keys: string[] = [];
  for (const [at, rule] of snapshot.overrideSpec.policy.overrideRules.entries()) {
    if (!ruleMatches(rule, labels)) continue;
    const step = stepOf(rule, { name: cluster.name, labels });
    steps.push({ ...step.step, rule: at });
    keys.push(`${at}${step.variant}`);
  }
  const id = snapshotId(snapshot);
  return { id, snapshot, steps, key: `${id}[${keys.join(' ')}]` };
}

type Overriding = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** `rule 2, patch 1`: one patch of an override in the words of people, from its indexes, which begin with 0. */
export const patchNamed = (rule: number, patch: number): string => `rule ${rule + 1}, patch ${patch + 1}`;

/** The object after the steps; `undefined` as value = dropped. `Delete` ends the override's rules. */
export function applyOverride(override: EffectiveOverride, object: unknown): Overriding {
  let value = object;
  for (const step of override.steps) {
    if (step.kind === 'delete') return { ok: true, value: undefined };
    const patched = step.kind === 'error' ? { ...step, ok: false as const } : applyPatch(value, step.operations);
    if (!patched.ok) return { ok: false, message: `${patchNamed(step.rule, patched.at)}: ${patched.message}` };
    value = patched.value;
  }
  return { ok: true, value };
}

type Cluster = Parameters<typeof fillVariables>[1];

/** The step, and what tells it from the same rule's step on other clusters: the texts that variables made. */
function stepOf(rule: OverrideRule, cluster: Cluster): { readonly step: EffectiveStep; readonly variant: string } {
  if (rule.overrideType === 'Delete') return { step: { kind: 'delete' }, variant: '' };
  const operations: PatchOperation[] = [];
  let variant = '';
  for (const [at, operation] of (rule.jsonPatchOverrides ?? []).entries()) {
    const text = operation.op === 'remove' ? '' : textOf(operation);
    if (!hasVariables(text)) {
      operations.push(operation);
      continue;
    }
    const filled = filledIn(operation, text, cluster);
    if (!filled.ok) return { step: { kind: 'error', at, message: filled.message }, variant: `!${filled.message}` };
    operations.push(filled.operation);
    variant += `=${filled.text}`;
  }
  return { step: { kind: 'patch', operations }, variant };
}

function filledIn(
  operation: PatchOperation,
  text: string,
  cluster: Cluster,
):
  | { readonly ok: true; readonly operation: PatchOperation; readonly text: string }
  | { readonly ok: false; readonly message: string } {
  const where = `${operation.op} ${operation.path}`;
  const filled = fillVariables(text, cluster);
  if (!filled.ok) return { ok: false, message: `${where}: ${filled.message}` };
  try {
    return { ok: true, operation: { ...operation, value: JSON.parse(filled.text) as unknown }, text: filled.text };
  } catch {
    return { ok: false, message: `${where}: with its variables filled in, the value is no JSON any more` };
  }
}

const textOf = memoize((operation: PatchOperation) => JSON.stringify(operation.value ?? null));
