import type { Problem } from '../../../api/problem.ts';
import { nearest } from '../../../api/syntax.ts';
import type { Fleet } from '../../../engine/input.ts';
import { canonicalJson } from '../../../engine/kernel/canonical-json.ts';
import type { Pool } from '../../../engine/node-pools/pool.ts';
import { listAt, textAt } from '../../../engine/node-pools/read-fields.ts';
import { normalisedKey } from '../../../engine/node-pools/requirements.ts';
import { type Market, typeLabel } from '../../../engine/nodes/launch/market.ts';
import type { PlannedMember } from '../../../engine/nodes/reused-plan.ts';
import { fieldWarning } from '../field-warning.ts';

interface Finding {
  readonly rule: string;
  readonly path: string;
  readonly why: string;
  readonly fix: string;
}

/**
 * Warnings about NodePools that ask for instance types which the InstanceCatalogs of a cluster do not list, or that save money where no
 * PriceList applies; each once. None while an invalid file may have the type or the price.
 */
export function marketWarnings(planned: readonly PlannedMember[], fleet: Fleet): Problem[] {
  const { unreadable, refused } = fleet;
  const mayBeRefused = (kind: string): boolean => unreadable.length > 0 || refused.some((one) => one.kind === kind);
  // Of all clusters of a pool: each may have a catalog of its own.
  const listed = new Map<string, Set<string>>();
  for (const { member } of planned)
    for (const name of member.market.types === undefined ? [] : member.pools.keys()) {
      const known = listed.get(name) ?? new Set();
      for (const type of member.market.types!.keys()) known.add(type);
      listed.set(name, known);
    }
  const found = planned.flatMap(({ member: { pools, market } }) =>
    [...pools.values()].flatMap((pool) =>
      [
        ...(mayBeRefused('InstanceCatalog') ? [] : unlistedTypes(pool, listed.get(pool.name))),
        ...(mayBeRefused('PriceList') ? [] : withoutPrices(pool, market)),
      ].map(({ rule, ...finding }): Problem => {
        const of = { kind: 'NodePool', name: pool.name };
        return { ...fieldWarning(fleet, of, { code: 'node-disruption', ...finding }), rule };
      }),
    ),
  );
  return [...new Map(found.map((problem) => [canonicalJson(problem), problem])).values()];
}

function unlistedTypes({ manifest }: Pool, types: ReadonlySet<string> | undefined): Finding[] {
  if (types === undefined) return [];
  return listAt(manifest, 'spec', 'template', 'spec', 'requirements').flatMap((requirement, index) => {
    if (normalisedKey(textAt(requirement, 'key') ?? '') !== typeLabel || textAt(requirement, 'operator') !== 'In')
      return [];
    return listAt(requirement, 'values').flatMap((value, at): Finding[] => {
      const name = String(value);
      if (types.has(name)) return [];
      const like = nearest(name, [...types]);
      return [
        {
          rule: 'UnlistedInstanceType',
          path: `spec.template.spec.requirements.${index}.values.${at}`,
          why: `no InstanceCatalog of its clusters lists the type ${name}: plans launch none, and nodes of it count as drifted`,
          fix: like ? `did you mean ${like}?` : 'add the type to an InstanceCatalog, or remove it here',
        },
      ];
    });
  });
}

function withoutPrices(
  { manifest, policy, consolidateAfterMs, replicas }: Pool,
  { types, currency }: Market,
): Finding[] {
  const savesMoney = policy !== 'WhenEmpty' && consolidateAfterMs !== undefined && replicas === undefined;
  if (types === undefined || currency !== undefined || !savesMoney) return [];
  const isWritten = textAt(manifest, 'spec', 'disruption', 'consolidationPolicy') !== undefined;
  return [
    {
      rule: 'ConsolidationWithoutPrices',
      path: isWritten ? 'spec.disruption.consolidationPolicy' : 'spec',
      why: `it consolidates by price (${policy}), and no PriceList applies to a cluster of it that has an InstanceCatalog: no node is replaced by a cheaper one there`,
      fix: 'add a PriceList for its clusters, or write consolidationPolicy: WhenEmpty',
    },
  ];
}
