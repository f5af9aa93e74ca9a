import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { UpgradeChange } from './upgrade-changes.ts';

/** No operation brings a version or a node image below the one that was observed, nor an image of another family. */
export function downgrades({ name, starts }: UpgradeChange, { input, observations }: Evidence): GuardFinding[] {
  const seen = input.upgradeObservations ?? observations;
  return starts.flatMap(({ member }): GuardFinding[] => {
    const runs = seen?.get(member.name)?.versions;
    if (runs === undefined) return [];
    const pools = new Map(runs.pools?.map((pool) => [pool.name, pool]));
    const pairs = [
      [runs.controlPlane, member.to?.controlPlane],
      ...(member.to?.pools ?? []).flatMap((pool) => [
        [pools.get(pool.name)?.kubernetes, pool.kubernetes],
        [pools.get(pool.name)?.image, pool.image],
      ]),
    ];
    return pairs.flatMap(([from, to]): GuardFinding[] =>
      from !== undefined && to !== undefined && isBelow(to, from)
        ? [{ rule: 'downgrade', message: `run ${name} would take ${member.name} from ${from} to ${to}` }]
        : [],
    );
  });
}

/** Compared number by number, as far as both have one: `v1.31` is not below `v1.31.5`. */
function isBelow(to: string, from: string): boolean {
  const [next, now] = [splitVersion(to), splitVersion(from)];
  if (next.family !== now.family) return true;
  for (const [at, number] of next.numbers.entries()) {
    const other = now.numbers[at] ?? 0;
    if (number !== other) return number < other;
  }
  return false;
}

/** An image has a family before its numbers; a version has none. Years and months of older images are one number in later ones. */
function splitVersion(text: string): { readonly family: string; readonly numbers: readonly number[] } {
  const version = /^[vV]?(\d+\.\d+(?:\.\d+)?)/.exec(text);
  if (version) return { family: '', numbers: version[1]!.split('.').map(Number) };
  const dated = /^(.+-\d+(?:\.\d+)+)-(\d{4}\.\d{2}\.\d{2})$/.exec(text);
  const [, family = text, dotted = '0'] = /^(.+)-(\d+(?:\.\d+)+)$/.exec(dated?.[1] ?? text) ?? [];
  const day = /^(\d{4})\.(\d{2})\.(\d{2})$/.exec(dotted);
  const numbers = day ? [Number(day[1]! + day[2]!), Number(day[3]), 0] : dotted.split('.').map(Number);
  return { family, numbers: [...numbers, ...(dated ? dated[2]!.split('.').map(Number) : [])] };
}
