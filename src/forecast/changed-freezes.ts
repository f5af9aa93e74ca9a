import type { FleetConfig } from '../api/gitfleet.ts';
import type { Timestamp } from '../api/meta.ts';
import { freezeAt } from '../engine/freeze/freeze.ts';
import type { Fleet } from '../engine/input.ts';
import { canonicalJson } from '../engine/kernel/canonical-json.ts';

type WrittenFreeze = NonNullable<FleetConfig['spec']['freeze']>[number];

/** A freeze that a change adds, changes or removes. */
export interface ChangedFreeze {
  readonly name: string;
  readonly action: 'add' | 'change' | 'remove';
  /** When it is active, now or next; without `to` it has no end. Absent: it is removed, or never active. */
  readonly active?: { readonly from: Timestamp; readonly to?: Timestamp };
}

/** In the order of the file, removed ones last. */
export function changedFreezes(
  before: Pick<Fleet, 'config'>,
  after: Pick<Fleet, 'config'>,
  now: Timestamp,
): readonly ChangedFreeze[] {
  const [was, is] = [writtenIn(before), writtenIn(after)];
  const names = (of: readonly WrittenFreeze[]) => new Set(of.map(({ name }) => name));
  const known = new Set(was.map(canonicalJson));
  return [
    ...is
      .filter((freeze) => !known.has(canonicalJson(freeze)))
      .map((freeze) => ({
        name: freeze.name,
        action: names(was).has(freeze.name) ? ('change' as const) : ('add' as const),
        ...activeTime(freeze, now),
      })),
    ...[...names(was).difference(names(is))].map((name) => ({ name, action: 'remove' as const })),
  ];
}

const writtenIn = ({ config }: Pick<Fleet, 'config'>): readonly WrittenFreeze[] => config?.spec.freeze ?? [];

function activeTime(freeze: WrittenFreeze, now: Timestamp): Pick<ChangedFreeze, 'active'> {
  const pauseAt = (at: Timestamp) => freezeAt({ spec: { freeze: [freeze] } }, at);
  const pause = pauseAt(now);
  const from = pause.kind === 'paused' ? now : pause.pausesAt;
  const active = from === undefined ? pause : pauseAt(from);
  if (from === undefined || active.kind === 'none') return {};
  return { active: { from, ...(active.until !== undefined && { to: active.until }) } };
}
