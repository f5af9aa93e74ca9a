import { describe, expect, it } from 'vitest';
import { intern, internParts, internText } from '../../src/members/intern.ts';

const spec = (image: string) => ({ replicas: 2, template: { containers: [{ name: 'web', image }] } });

describe('equal values', () => {
  it('are one value', () => {
    expect(intern(spec('web:1'))).toBe(intern(spec('web:1')));
  });

  it('are kept apart from others', () => {
    expect([intern(spec('web:1')), intern(spec('web:2'))]).toEqual([spec('web:1'), spec('web:2')]);
  });

  it('stay equal when the cache overflows', () => {
    const large = (at: number) => ({ text: `${at}`.padStart(2 ** 20, '.') });
    const first = intern(large(0));
    for (let at = 1; at < 6; at++) expect(intern(large(at))).toEqual(large(at));
    expect(intern(large(0))).not.toBe(first);
    expect(intern(large(0))).toEqual(first);
  });
});

describe('objects that share their equal parts', () => {
  const object = (name: string) => ({ kind: 'Deployment', metadata: { name }, spec: spec('web:1'), status: null });

  it('have the same content', () => {
    expect(internParts(object('a'), ['spec', 'status', 'data'])).toEqual(object('a'));
  });

  it('have one value for the named parts', () => {
    const [a, b] = [internParts(object('a'), ['spec']), internParts(object('b'), ['spec'])];
    expect(a.spec).toBe(b.spec);
    expect([a.metadata, b.metadata]).toEqual([{ name: 'a' }, { name: 'b' }]);
  });
});

describe('equal texts', () => {
  it('have the same content, also when the cache overflows', () => {
    const large = (at: number) => `${at}`.padStart(2 ** 20, '.');
    expect(Array.from({ length: 6 }, (_, at) => internText(large(at)))).toEqual(
      Array.from({ length: 6 }, (_, at) => large(at)),
    );
    expect(internText('/ConfigMap/shop/settings')).toBe('/ConfigMap/shop/settings');
  });
});
