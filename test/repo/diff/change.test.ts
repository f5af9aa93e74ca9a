import { expect, it } from 'vitest';
import { changeOf } from '../../../src/repo/diff/change.ts';

const metadata = { name: 'token', namespace: 'web' };
const sealed = (encryptedData: object, data = { url: 'https://{{ .user }}@example.com' }) => ({
  apiVersion: 'bitnami.com/v1alpha1',
  kind: 'SealedSecret',
  metadata,
  spec: { encryptedData, template: { type: 'Opaque', data } },
});

it('values of a SealedSecret are left out, and those that changed are marked', () => {
  expect(changeOf(sealed({ a: 'AgBy1', b: 'AgBy2' }), sealed({ a: 'AgBy1', b: 'AgBy3' }))?.diff).toMatchInlineSnapshot(`
    "  …
      spec:
        encryptedData:
          a: (redacted)
    -     b: (redacted, before)
    +     b: (redacted, after)
        template:
          type: Opaque
          data:"
  `);
  expect(changeOf(undefined, sealed({ a: 'AgBy1' }))?.diff).not.toMatch(/AgBy|example/);
});

it('what is no map where values are expected is left as it is', () => {
  const broken = { apiVersion: 'bitnami.com/v1alpha1', kind: 'SealedSecret', metadata, spec: 'none' };
  expect(changeOf(undefined, broken)?.diff).toContain('+ spec: none');
});

it('a custom kind of the same name is shown', () => {
  const other = { apiVersion: 'example.com/v1', kind: 'Secret', metadata, data: { a: 'open' } };
  expect(changeOf(undefined, other)?.diff).toContain('+   a: open');
});
