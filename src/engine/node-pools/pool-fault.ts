import type { Manifest } from '../../api/meta.ts';
import { allowWindowsAnnotation, expiryAnnotation } from '../../api/nodes/disruption-modes.ts';
import { consolidationPolicies, isNodeDuration, weights } from '../../api/nodes/pool-ranges.ts';
import { zeroBudgets } from './allow-windows.ts';
import { readBudgets } from './budgets.ts';
import { fieldsAt } from './read-fields.ts';

type Path = readonly string[];

const policies: readonly unknown[] = consolidationPolicies;

const durations: readonly { readonly path: Path; readonly orNever: boolean }[] = [
  { path: ['spec', 'disruption', 'consolidateAfter'], orNever: true },
  { path: ['spec', 'disruption', 'expireAfter'], orNever: true },
  { path: ['spec', 'template', 'spec', 'expireAfter'], orNever: true },
  { path: ['spec', 'template', 'spec', 'terminationGracePeriod'], orNever: false },
];

const wholeNumbers: readonly { readonly path: Path; readonly least: number; readonly most?: number }[] = [
  { path: ['spec', 'weight'], ...weights },
  { path: ['spec', 'replicas'], least: 0 },
];

/**
 * Why a NodePool must not be delivered, of what decides when its nodes go: an override may write what no file may. Undefined: nothing.
 */
export function poolFault(manifest: Manifest): string | undefined {
  const at = (path: Path): unknown => fieldsAt(manifest, ...path.slice(0, -1))[path.at(-1)!];
  const wrong = (path: Path, what: string): string => `${path.join('.')} ${JSON.stringify(at(path))} ${what}`;
  const budgets: Path = ['spec', 'disruption', 'budgets'];
  if (readBudgets(at(budgets)) === 'invalid') return wrong(budgets, 'are no valid budgets');
  const policy: Path = ['spec', 'disruption', 'consolidationPolicy'];
  if (at(policy) !== undefined && !policies.includes(at(policy))) return wrong(policy, 'is no policy');
  for (const { path, orNever } of durations) {
    const value = at(path);
    const isRead = typeof value === 'string' && ((orNever && value === 'Never') || isNodeDuration(value));
    if (value != null && !isRead) return wrong(path, `is no duration${orNever ? ', nor Never' : ''}`);
  }
  for (const { path, least, most } of wholeNumbers) {
    const value = at(path);
    const isInRange =
      Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= (most ?? Infinity);
    if (value != null && !isInRange)
      return wrong(path, `is not a whole number from ${least} ${most ? `to ${most}` : 'on'}`);
  }
  const expiry = manifest.metadata.annotations?.[expiryAnnotation];
  if (expiry !== undefined && expiry !== 'graceful') return `${expiryAnnotation} is not graceful`;
  const windows = manifest.metadata.annotations?.[allowWindowsAnnotation];
  return windows !== undefined && !zeroBudgets(windows).ok
    ? `the windows of ${allowWindowsAnnotation} cannot be read`
    : undefined;
}
