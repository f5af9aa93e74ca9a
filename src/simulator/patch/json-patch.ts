import { pointerTokens } from '../../engine/kernel/json-pointer.ts';
import { same } from '../fields/compare.ts';
import { isFields } from '../schema/schema.ts';

export interface Operation {
  readonly op: string;
  readonly path?: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** RFC 6902. Throws an Error when an operation fails; the input document is not changed. */
export function jsonPatch(document: unknown, operations: readonly Operation[]): unknown {
  return operations.reduce(one, document);
}

function one(document: unknown, operation: Operation): unknown {
  const path = pointer(operation.path);
  switch (operation.op) {
    case 'add':
      return write(document, path, operation.value, 'add');
    case 'remove':
      return write(document, path, undefined, 'remove');
    case 'replace':
      return write(document, path, operation.value, 'replace');
    case 'test': {
      if (!same(read(document, path), operation.value ?? null)) {
        throw new Error(`testing value ${operation.path} failed`);
      }
      return document;
    }
    case 'copy':
      return write(document, path, read(document, pointer(operation.from)), 'add');
    case 'move': {
      const moved = read(document, pointer(operation.from));
      return write(write(document, pointer(operation.from), undefined, 'remove'), path, moved, 'add');
    }
    default:
      throw new Error(`unexpected kind: ${operation.op}`);
  }
}

function pointer(text: string | undefined): string[] {
  if (text === undefined) throw new Error('missing path');
  if (text === '') return [];
  if (!text.startsWith('/')) throw new Error(`invalid path ${text}`);
  return pointerTokens(text);
}

function read(document: unknown, path: readonly string[]): unknown {
  let at = document;
  for (const step of path) {
    const next = Array.isArray(at) ? at[indexOf(step, at.length)] : isFields(at) ? at[step] : undefined;
    if (next === undefined) throw new Error(`unable to find path /${path.join('/')}: missing value`);
    at = next;
  }
  return at;
}

function write(document: unknown, path: readonly string[], value: unknown, how: 'add' | 'remove' | 'replace'): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const missing = () =>
    new Error(`${how} operation does not apply: doc is missing path: "/${path.join('/')}": missing value`);
  if (Array.isArray(document)) {
    const at =
      step === '-' && rest.length === 0 && how === 'add' ? document.length : indexOf(step, document.length + 1);
    const out = [...document];
    if (rest.length > 0) {
      if (at >= document.length) throw missing();
      out[at] = write(document[at], rest, value, how);
    } else if (how === 'add') out.splice(at, 0, value);
    else if (at >= document.length) throw missing();
    else if (how === 'remove') out.splice(at, 1);
    else out[at] = value;
    return out;
  }
  if (!isFields(document)) throw missing();
  if (rest.length > 0) {
    if (!(step in document)) throw missing();
    return { ...document, [step]: write(document[step], rest, value, how) };
  }
  if (how !== 'add' && !(step in document)) throw missing();
  if (how !== 'remove') return { ...document, [step]: value };
  const { [step]: _, ...left } = document;
  return left;
}

function indexOf(step: string, length: number): number {
  if (!/^(0|[1-9]\d*)$/.test(step) || Number(step) >= length) throw new Error(`invalid array index ${step}`);
  return Number(step);
}
