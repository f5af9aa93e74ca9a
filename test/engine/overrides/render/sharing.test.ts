import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawn } from '../../../support/law-runs.ts';
import { addLabel, cro, everywhere, patch, ro } from '../world.ts';
import { deployment, eu, namespace, plain, renderOn, replicas, shop, us } from './render-on.ts';

describe('sharing', () => {
  test('clusters without overrides get one and the same value', () => {
    const manifests = shop();
    expect(renderOn(eu, manifests)).toBe(renderOn(us, manifests));
  });
  test('clusters with the same rules share it too, unless a variable differs', () => {
    const manifests = shop();
    const fixed = replicas(3);
    expect(renderOn(eu, manifests, [fixed])).toBe(renderOn(us, manifests, [fixed]));
    const named = replicas('${MEMBER-CLUSTER-NAME}');
    expect(renderOn(eu, manifests, [named])).not.toEqual(renderOn(us, manifests, [named]));
  });
  test('objects that an override leaves alone are the same values in all variants', () => {
    const manifests = shop();
    const named = replicas('${MEMBER-CLUSTER-NAME}');
    const [a, b] = [renderOn(eu, manifests, [named]), renderOn(us, manifests, [named])];
    expect(a.ok && b.ok && a.manifests[0]!.manifest === b.manifests[0]!.manifest).toBe(true);
  });
  test('another version of an override under the same name is another result', () => {
    const manifests = shop();
    expect(plain(eu, manifests, [replicas(3)])).not.toEqual(plain(eu, manifests, [replicas(4)]));
  });
  test('one changed object changes the digest and only its own mark', () => {
    const [before, after] = [renderOn(eu, shop()), renderOn(eu, shop(), [replicas(9)])];
    const marks = (rendered: typeof before) =>
      rendered.ok && rendered.manifests.map(({ manifest }) => manifest.metadata.annotations);
    expect(before.ok && after.ok && before.digest !== after.digest).toBe(true);
    expect((marks(before) as unknown[])[0]).toEqual((marks(after) as unknown[])[0]);
    expect((marks(before) as unknown[])[1]).not.toEqual((marks(after) as unknown[])[1]);
  });
});

test('whatever the overrides do, inputs stay and a second rendering is the same', () => {
  const value = fc.oneof(fc.jsonValue(), fc.constant('${MEMBER-CLUSTER-NAME}'));
  const operation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace'),
    path: fc.constantFrom('/spec/replicas', '/spec/x', '/metadata/labels/a', '/odd/field', '/missing/x'),
    value,
  });
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 5 }), fc.boolean(), (operations, both) => {
      const override = ro('shop/o', { selects: [deployment], rules: [{ ...everywhere, ...patch(...operations) }] });
      const others = both ? [cro('n', { selects: [namespace], rules: [{ ...everywhere, ...addLabel('n') }] })] : [];
      const manifests = shop();
      const first = renderOn(eu, manifests, [override, ...others]);
      expect(manifests).toEqual(shop());
      expect(renderOn(eu, shop(), [...others, override])).toEqual(first);
    }),
    drawn(),
  );
});
