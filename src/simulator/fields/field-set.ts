/**
 * A set of field paths in the form that `managedFields` writes (FieldsV1): a tree whose steps are `f:name`,
 * `k:{"key":"value"}` or `v:value`. `self` means that the path itself is in the set. Sets are never changed in place.
 */
export interface FieldSet {
  readonly self: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

const none: ReadonlyMap<string, FieldSet> = new Map();
export const noFields: FieldSet = { self: false, children: none };
export const thisField: FieldSet = { self: true, children: none };

export const isEmpty = (set: FieldSet): boolean => !set.self && set.children.size === 0;

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  const children = new Map(a.children);
  for (const [step, child] of b.children) {
    const mine = children.get(step);
    children.set(step, mine ? union(mine, child) : child);
  }
  return { self: a.self || b.self, children };
}

export const difference = (a: FieldSet, b: FieldSet): FieldSet => pick(a, b, (mine, other) => mine && !other, true);

export const intersection = (a: FieldSet, b: FieldSet): FieldSet => pick(a, b, (mine, other) => mine && other, false);

function pick(a: FieldSet, b: FieldSet, keep: (a: boolean, b: boolean) => boolean, keepOthers: boolean): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [step, child] of a.children) {
    const other = b.children.get(step);
    if (!other) {
      if (keepOthers) children.set(step, child);
      continue;
    }
    const left = pick(child, other, keep, keepOthers);
    if (!isEmpty(left)) children.set(step, left);
  }
  return { self: keep(a.self, b.self), children };
}

export function sameFields(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.self !== b.self || a.children.size !== b.children.size) return false;
  for (const [step, child] of a.children) {
    const other = b.children.get(step);
    if (!other || !sameFields(child, other)) return false;
  }
  return true;
}

/** FieldsV1: `.` marks a path of the set with paths below it. */
export function toFieldsV1(set: FieldSet): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  if (set.self && set.children.size > 0) out['.'] = {};
  for (const step of [...set.children.keys()].sort()) out[step] = toFieldsV1(set.children.get(step)!);
  return out;
}

export function fromFieldsV1(json: unknown): FieldSet {
  return { self: false, children: read(json).children };
}

function read(json: unknown): FieldSet {
  const entries = Object.entries((json ?? {}) as Record<string, unknown>);
  if (entries.length === 0) return thisField;
  const children = new Map<string, FieldSet>();
  let self = false;
  for (const [step, child] of entries) {
    if (step === '.') self = true;
    else children.set(step, read(child));
  }
  return { self, children };
}

/** Every path in the set as Kubernetes writes it in conflicts: `.spec.containers[name="web"].image`. */
export function pathsOf(set: FieldSet, prefix = ''): string[] {
  const out = set.self && prefix !== '' ? [prefix] : [];
  for (const step of [...set.children.keys()].sort()) {
    out.push(...pathsOf(set.children.get(step)!, prefix + stepText(step)));
  }
  return out;
}

function stepText(step: string): string {
  if (step.startsWith('f:')) return `.${step.slice(2)}`;
  if (step.startsWith('v:')) return `[=${step.slice(2)}]`;
  const keys = Object.entries(JSON.parse(step.slice(2)) as Record<string, unknown>);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
}
