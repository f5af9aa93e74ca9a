import { describe, expect, it } from 'vitest';
import { validateFleetObject } from '../../../src/api/validate.ts';
import { type Fields, findings, times } from './findings.ts';

describe('an envelope', () => {
  const box = (data: unknown) => ({
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: 'ResourceEnvelope',
    metadata: { name: 'box', namespace: 'shop' },
    data,
  });
  const settings = (more: Fields = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings' },
    ...more,
  });
  it.each<[rule: string, data: unknown, expected: readonly string[]]>([
    ['holds something', {}, ['error invalid data']],
    ['is not without data', undefined, ['error field-required data']],
    ['holds at most 50', Object.fromEntries(times(51, (at) => [`m${at}`, settings()])), ['error invalid data']],
    ['50 are fine', Object.fromEntries(times(50, (at) => [`m${at}`, settings()])), []],
    ['holds objects', { a: 'text' }, ['error wrong-type data.a']],
    ['of a kind', { a: { apiVersion: 'v1', metadata: { name: 'a' } } }, ['error field-required data.a.kind']],
    [
      'with a name',
      { a: { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} } },
      ['error field-required data.a.metadata.name'],
    ],
  ])('%s', (_, data, expected) => {
    expect(findings(box(data))).toEqual(expected);
  });

  it('and a patch keep their nulls', () => {
    const data = { a: settings({ data: null }) };
    expect(validateFleetObject(box(data)).object).toMatchObject({ data });
  });
});
