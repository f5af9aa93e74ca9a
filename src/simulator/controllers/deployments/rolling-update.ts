import { resolveCount } from '../resolve-count.ts';

/** The numbers of a ReplicaSet that a rollout uses. */
export interface Part {
  /** Desired replicas. */
  readonly size: number;
  readonly available: number;
}

export interface Limits {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** Surge rounds up, unavailability down; if both are 0, one may be unavailable (ResolveFenceposts). */
export function limitsOf(replicas: number, rollingUpdate: { maxSurge?: unknown; maxUnavailable?: unknown }): Limits {
  const maxSurge = resolveCount(rollingUpdate.maxSurge, replicas, 'up');
  const maxUnavailable = resolveCount(rollingUpdate.maxUnavailable, replicas, 'down');
  return { replicas, maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

const total = (parts: readonly Part[]): number => parts.reduce((sum, part) => sum + part.size, 0);

/** Replicas that the new ReplicaSet may have now (deployment/rolling.go, NewRSNewReplicas). */
export function newSize(limits: Limits, latest: Part, old: readonly Part[]): number {
  if (latest.size >= limits.replicas) return limits.replicas;
  const room = limits.replicas + limits.maxSurge - total(old) - latest.size;
  return latest.size + Math.max(0, Math.min(room, limits.replicas - latest.size));
}

/**
 * Replicas that each old ReplicaSet, oldest first, may keep: unavailable ones are removed first, then as many as the new one
 * replaces (deployment/rolling.go, reconcileOldReplicaSets).
 */
export function oldSizes(limits: Limits, latest: Part, old: readonly Part[]): readonly number[] {
  const minAvailable = limits.replicas - limits.maxUnavailable;
  const missing = latest.size - latest.available;
  let spare = total(old) + latest.size - minAvailable - missing;
  const sizes = old.map((part) => part.size);
  if (spare <= 0) return sizes;
  for (const [index, part] of old.entries()) {
    const unhealthy = Math.min(spare, Math.max(0, part.size - part.available));
    sizes[index]! -= unhealthy;
    spare -= unhealthy;
  }
  let extra = old.reduce((sum, part) => sum + part.available, latest.available) - minAvailable;
  for (const [index, size] of sizes.entries()) {
    const less = Math.min(size, Math.max(0, extra));
    sizes[index] = size - less;
    extra -= less;
  }
  return sizes;
}

/**
 * Sizes after a change of the number of replicas during a rollout: each ReplicaSet is scaled in proportion (deployment/sync.go,
 * scale). Parts are oldest first, the new one last; `was` is the largest total of the old number.
 */
export function proportionalSizes(limits: Limits, parts: readonly Part[], was: number): readonly number[] {
  const allowed = limits.replicas > 0 ? limits.replicas + limits.maxSurge : 0;
  const toAdd = allowed - total(parts);
  const sizes = parts.map((part) => part.size);
  if (toAdd === 0) return sizes;
  // The largest first; of equal ones the newest when growing, the oldest when shrinking.
  const order = [...sizes.keys()].sort((a, b) => sizes[b]! - sizes[a]! || (toAdd > 0 ? b - a : a - b));
  let added = 0;
  for (const index of order) {
    const size = sizes[index]!;
    const share = Math.round((size * allowed) / Math.max(was, 1)) - size;
    const left = toAdd - added;
    const change = size === 0 ? 0 : toAdd > 0 ? Math.min(Math.max(share, 0), left) : Math.max(Math.min(share, 0), left);
    sizes[index] = Math.max(0, size + change);
    added += change;
  }
  // The largest takes the remainder of rounding.
  const first = order[0]!;
  sizes[first] = Math.max(0, sizes[first]! + toAdd - added);
  return sizes;
}
