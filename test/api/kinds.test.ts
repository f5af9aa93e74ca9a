import { expect, it } from 'vitest';
import type { PriceList } from '../../src/api/gitfleet.ts';
import type { Kind } from '../../src/api/kinds/kind.ts';
import { fleetKindOf, fleetKinds } from '../../src/api/kinds.ts';

it('every kind has one row, and is found by it', () => {
  for (const row of fleetKinds) expect(fleetKindOf(`${row.group}/v1`, row.kind)).toBe(row);
});

it('the schema of a kind accepts objects of that kind', () => {
  for (const { kind, schema } of fleetKinds) {
    const wrong = schema.safeParse({ kind }).error?.issues.filter(({ path }) => path[0] === 'kind') ?? [];
    expect(wrong, kind).toEqual([]);
  }
});

it('a kind without rules and without a word on changes does not compile', () => {
  // @ts-expect-error: rules and changes are missing, and must be given even where there are none.
  const row: Kind<PriceList> = {
    group: 'gitfleet.dev',
    kind: 'PriceList',
    scope: 'Cluster',
    schema: fleetKinds[0]!.schema as never,
  };
  expect(row.kind).toBe('PriceList');
});
