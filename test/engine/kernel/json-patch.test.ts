import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyPatch, type PatchOperation } from '../../../src/engine/kernel/json-patch.ts';
import { drawn } from '../../support/law-runs.ts';

const add = (path: string, value?: unknown): PatchOperation => ({ op: 'add', path, value });
const replace = (path: string, value?: unknown): PatchOperation => ({ op: 'replace', path, value });
const remove = (path: string): PatchOperation => ({ op: 'remove', path });

describe('what a patch makes', () => {
  test.each<[string, unknown, PatchOperation[], unknown]>([
    ['add sets a new member', { a: 1 }, [add('/b', 2)], { a: 1, b: 2 }],
    ['add replaces a member that is there', { a: 1 }, [add('/a', 2)], { a: 2 }],
    ['add inserts before an index', { a: [1, 3] }, [add('/a/1', 2)], { a: [1, 2, 3] }],
    ['add at the length appends', { a: [1] }, [add('/a/1', 2)], { a: [1, 2] }],
    ['add at "-" appends', { a: [1] }, [add('/a/-', 2)], { a: [1, 2] }],
    ['add at -1 appends, as KubeFleet does', { a: [1] }, [add('/a/-1', 2)], { a: [1, 2] }],
    ['replace changes what is there', { a: { b: 1 } }, [replace('/a/b', [2])], { a: { b: [2] } }],
    ['replace at -1 changes the last', { a: [1, 2] }, [replace('/a/-1', 3)], { a: [1, 3] }],
    ['replace inside a list item', { a: [{ b: 1 }] }, [replace('/a/0/b', 2)], { a: [{ b: 2 }] }],
    ['remove takes a member away', { a: 1, b: 2 }, [remove('/a')], { b: 2 }],
    ['remove takes an item away', { a: [1, 2, 3] }, [remove('/a/1')], { a: [1, 3] }],
    [
      '~1 is a slash and ~0 a tilde',
      { 'a/b': 1, 'm~n': 2, '~1': 3 },
      [remove('/a~1b'), replace('/m~0n', 0)],
      { 'm~n': 0, '~1': 3 },
    ],
    ['~01 is ~1, not /', { '~1': 1 }, [replace('/~01', 2)], { '~1': 2 }],
    ['an empty name is a name', { '': 1 }, [replace('/', 2)], { '': 2 }],
    ['the empty path is the whole document', { a: 1 }, [replace('', { b: 1 })], { b: 1 }],
    ['operations see what earlier ones did', {}, [add('/a', {}), add('/a/b', []), add('/a/b/-', 1)], { a: { b: [1] } }],
    ['an absent value is null', { a: 1 }, [replace('/a')], { a: null }],
    ['null is a value that is there', { a: null }, [replace('/a', 1)], { a: 1 }],
  ])('%s', (_, document, operations, value) => {
    expect(applyPatch(document, operations)).toEqual({ ok: true, value });
  });
});

describe('what fails', () => {
  test.each<[unknown, PatchOperation, string]>([
    [{}, replace('/a', 1), 'replace /a: "a" does not exist'],
    [{}, remove('/a'), 'remove /a: "a" does not exist'],
    [{}, add('/a/b', 1), 'add /a/b: "a" does not exist'],
    [{ a: 1 }, add('/a/b', 1), 'add /a/b: the parent of "b" is neither an object nor a list'],
    [{ a: null }, add('/a/b', 1), 'add /a/b: the parent of "b" is neither an object nor a list'],
    [{ a: [1] }, replace('/a/1', 1), 'replace /a/1: index 1 is outside a list of 1'],
    [{ a: [1] }, add('/a/2', 1), 'add /a/2: index 2 is outside a list of 1'],
    [{ a: [1] }, remove('/a/-2'), 'remove /a/-2: index -2 is outside a list of 1'],
    [{ a: [1] }, replace('/a/-', 1), 'replace /a/-: "-" is the end of a list, where only "add" is possible'],
    [{ a: [{}] }, add('/a/-/b', 1), 'add /a/-/b: "-" is the end of a list, where only "add" is possible'],
    [{ a: [1] }, replace('/a/00', 1), 'replace /a/00: "00" is not an index of a list'],
    [{ a: [1] }, replace('/a/x', 1), 'replace /a/x: "x" is not an index of a list'],
    [{ a: 1 }, replace('a', 1), 'replace a: a path starts with "/"'],
    [{ a: 1 }, replace('/a~2', 1), 'replace /a~2: write "~" in a path as "~0", and "/" inside a name as "~1"'],
    [{ a: 1 }, remove(''), 'remove : the whole document cannot be removed'],
    [{}, replace('/__proto__/x', 1), 'replace /__proto__/x: "__proto__" does not exist'],
    [{}, replace('/constructor', 1), 'replace /constructor: "constructor" does not exist'],
    [{ a: [] }, replace('/a/length', 1), 'replace /a/length: "length" is not an index of a list'],
  ])('%j with %j', (document, operation, message) => {
    expect(applyPatch(document, [operation])).toEqual({ ok: false, message, at: 0 });
  });

  test('the first failure decides and the document does not change', () => {
    const document = { a: { b: 1 } };
    expect(applyPatch(document, [replace('/a/b', 2), remove('/x')]).ok).toBe(false);
    expect(document).toEqual({ a: { b: 1 } });
  });
});

test('"__proto__" is a name like any other', () => {
  const patched = applyPatch({}, [add('/__proto__', { polluted: true })]);
  expect(patched.ok && Object.keys(patched.value as object)).toEqual(['__proto__']);
  expect(patched.ok && Object.getPrototypeOf(patched.value)).toBe(Object.prototype);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  const again = patched.ok && applyPatch(patched.value, [remove('/__proto__')]);
  expect(again).toEqual({ ok: true, value: {} });
});

test('what a patch does not touch is shared', () => {
  const document = { a: { b: 1 }, c: { d: [] } };
  const patched = applyPatch(document, [replace('/a/b', 2)]);
  expect(patched.ok && (patched.value as typeof document).c).toBe(document.c);
});

describe('laws', () => {
  const document = fc.dictionary(fc.constantFrom('a', 'b/c', 'd~e', '__proto__x'), fc.jsonValue());
  const key = fc.string();
  const pointer = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

  test('what is added and removed again leaves the document as it was', () => {
    fc.assert(
      fc.property(document, key, fc.jsonValue(), (before, name, value) => {
        fc.pre(!Object.hasOwn(before, name));
        const after = applyPatch(before, [add(pointer(name), value), remove(pointer(name))]);
        expect(after).toEqual({ ok: true, value: before });
      }),
      drawn(),
    );
  });

  test('an item inserted and removed again leaves the list as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.nat(), fc.jsonValue(), (list, at, value) => {
        const path = `/${at % (list.length + 1)}`;
        expect(applyPatch(list, [add(path, value), remove(path)])).toEqual({ ok: true, value: list });
      }),
      drawn(),
    );
  });

  test('replace is remove and add', () => {
    fc.assert(
      fc.property(document, fc.jsonValue(), (before, value) => {
        const name = Object.keys(before)[0];
        fc.pre(name !== undefined);
        const path = pointer(name!);
        expect(applyPatch(before, [replace(path, value)])).toEqual(
          applyPatch(before, [remove(path), add(path, value)]),
        );
      }),
      drawn(),
    );
  });
});
