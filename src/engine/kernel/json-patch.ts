import { pointerTokens } from './json-pointer.ts';

/** One operation of RFC 6902; KubeFleet's overrides support only these. */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  /** RFC 6901 pointer. */
  readonly path: string;
  /** Of add and replace; absent = null. */
  readonly value?: unknown;
}

export type Patched =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      /** `replace /spec/replicas: "spec" does not exist`. */
      readonly message: string;
      /** Which of the operations fails, from 0. */
      readonly at: number;
    };

type Changed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/**
 * Applies the operations in order and stops at the first that fails. The document is not changed: parts that a patch does not
 * change are shared with the result. Array indexes may be negative and then count from the end, as in the library that
 * KubeFleet uses (evanphx/json-patch v5); otherwise RFC 6902.
 */
export function applyPatch(document: unknown, operations: readonly PatchOperation[]): Patched {
  let value = document;
  for (const [at, operation] of operations.entries()) {
    const patched = applyOne(value, operation);
    if (!patched.ok) return { ok: false, message: `${operation.op} ${operation.path}: ${patched.message}`, at };
    value = patched.value;
  }
  return { ok: true, value };
}

function applyOne(document: unknown, operation: PatchOperation): Changed {
  if (operation.path !== '' && !operation.path.startsWith('/')) return failed('a path starts with "/"');
  if (/~([^01]|$)/.test(operation.path)) return failed('write "~" in a path as "~0", and "/" inside a name as "~1"');
  return change(document, pointerTokens(operation.path), operation);
}

/** Changes the value at `tokens`, and copies its parents. */
function change(node: unknown, tokens: readonly string[], operation: PatchOperation): Changed {
  const [token, ...rest] = tokens;
  if (token === undefined) {
    return operation.op === 'remove' ? failed('the whole document cannot be removed') : done(operation.value ?? null);
  }
  if (Array.isArray(node)) return changeItem(node, token, rest, operation);
  if (typeof node !== 'object' || node === null)
    return failed(`the parent of ${quote(token)} is neither an object nor a list`);
  return changeMember(node as Readonly<Record<string, unknown>>, token, rest, operation);
}

function changeMember(
  node: Readonly<Record<string, unknown>>,
  token: string,
  rest: readonly string[],
  operation: PatchOperation,
): Changed {
  // Own keys only, and computed keys in literals make own properties: "__proto__" is a name like any other.
  if (!Object.hasOwn(node, token)) {
    const adds = rest.length === 0 && operation.op === 'add';
    return adds ? done({ ...node, [token]: operation.value ?? null }) : failed(`${quote(token)} does not exist`);
  }
  if (rest.length === 0 && operation.op === 'remove') {
    return done(Object.fromEntries(Object.entries(node).filter(([key]) => key !== token)));
  }
  const changed = change(node[token], rest, operation);
  return changed.ok ? done({ ...node, [token]: changed.value }) : changed;
}

function changeItem(
  node: readonly unknown[],
  token: string,
  rest: readonly string[],
  operation: PatchOperation,
): Changed {
  const inserts = rest.length === 0 && operation.op === 'add';
  const length = inserts ? node.length + 1 : node.length;
  if (token === '-' && !inserts) return failed('"-" is the end of a list, where only "add" is possible');
  if (token !== '-' && !/^(0|-?[1-9]\d*)$/.test(token)) return failed(`${quote(token)} is not an index of a list`);
  const written = token === '-' ? node.length : Number(token);
  const index = written < 0 ? written + length : written;
  if (index < 0 || index >= length) return failed(`index ${token} is outside a list of ${node.length}`);
  if (inserts) return done(node.toSpliced(index, 0, operation.value ?? null));
  if (rest.length === 0 && operation.op === 'remove') return done(node.toSpliced(index, 1));
  const changed = change(node[index], rest, operation);
  return changed.ok ? done(node.with(index, changed.value)) : changed;
}

const done = (value: unknown): Changed => ({ ok: true, value });
const failed = (message: string): Changed => ({ ok: false, message });
const quote = (token: string): string => JSON.stringify(token);
