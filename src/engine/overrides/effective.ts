import type { OverrideRule, OverrideSnapshot } from '../../api/override.ts';
import { applyPatch, type PatchOperation } from '../kernel/json-patch.ts';
import { memoize } from '../kernel/memoize.ts';
import { labelsOf, type OverrideCluster, ruleMatches } from './lookup.ts';
import { snapshotId } from './snapshot-id.ts';
import { hasVariables, replaceVariables } from './variables.ts';

/** The effect of one override snapshot on one cluster: its rules for that cluster, with variables replaced. */
export interface EffectiveOverride {
  readonly id: string;
  readonly snapshot: OverrideSnapshot;
  readonly steps: readonly (EffectiveStep & { /** Index of the rule. */ readonly rule: number })[];
  /** Equal for clusters on which this snapshot has the same effect. */
  readonly key: string;
}

type EffectiveStep =
  | { readonly kind: 'delete' }
  | { readonly kind: 'patch'; readonly operations: readonly PatchOperation[] }
  /**
   * `at`: which patch of the rule. It is reported only when an object is patched, so that rules for unselected objects cause no
   * error.
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

/** A patch of an override in messages, `rule 2, patch 1`, from indexes that start with 0. */
export const patchNamed = (rule: number, patch: number): string => `rule ${rule + 1}, patch ${patch + 1}`;

/** The object after the steps; value `undefined` = removed. `Delete` ends the override's rules. */
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

type Cluster = Parameters<typeof replaceVariables>[1];

/** The step, and a text that distinguishes it from the same rule's step on other clusters: values with replaced variables. */
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
    const filled = withVariables(operation, text, cluster);
    if (!filled.ok) return { step: { kind: 'error', at, message: filled.message }, variant: `!${filled.message}` };
    operations.push(filled.operation);
    variant += `=${filled.text}`;
  }
  return { step: { kind: 'patch', operations }, variant };
}

function withVariables(
  operation: PatchOperation,
  text: string,
  cluster: Cluster,
):
  | { readonly ok: true; readonly operation: PatchOperation; readonly text: string }
  | { readonly ok: false; readonly message: string } {
  const where = `${operation.op} ${operation.path}`;
  const filled = replaceVariables(text, cluster);
  if (!filled.ok) return { ok: false, message: `${where}: ${filled.message}` };
  try {
    return { ok: true, operation: { ...operation, value: JSON.parse(filled.text) as unknown }, text: filled.text };
  } catch {
    return { ok: false, message: `${where}: with its variables replaced, the value is not valid JSON` };
  }
}

const textOf = memoize((operation: PatchOperation) => JSON.stringify(operation.value ?? null));
