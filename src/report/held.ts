import { isWork } from '../api/kinds.ts';
import type { Timestamp } from '../api/meta.ts';
import { isPlacementKind, placementKey } from '../api/placement.ts';
import type { FleetRecord, RecordedPlacement } from '../engine/input.ts';
import { latestOf } from '../engine/kernel/latest-of.ts';
import { shortList } from '../engine/kernel/short-list.ts';
import { suspendedAnnotation } from '../engine/pause/placement-pause.ts';
import type { GroupedHold } from '../engine/plan-document.ts';
import { titleOf } from '../repo/title-of.ts';
import type { Change } from './change.ts';
import type { Sentence } from './event-source.ts';
import { instantText } from './forecast/instant-text.ts';
import { listedHolds, messageOf } from './grouped-holds.ts';
import { meaningOf } from './hold-reasons.ts';
import { type Origin, originForms } from './placements/clauses.ts';
import { suspendedText } from './suspensions.ts';

/** A placement or run of which something starts to wait, and why: those with the same share a sentence. */
export interface Held {
  readonly title: string;
  readonly isRun: boolean;
  readonly why: string;
  /** What it is held with, where that is new too. */
  readonly snapshot: (Origin & { readonly snapshot: number }) | undefined;
}

/** What starts to wait, or has another version that does. */
export function newlyHeld({ before, after, plan, authors }: Change): readonly Held[] {
  const known = new Set((before.inEffect?.holds ?? []).filter(isTold).map((hold) => keyOf(hold, before)));
  const found = new Map<string, Held>();
  for (const hold of listedHolds(plan).filter(isTold)) {
    const key = keyOf(hold, after);
    const [was, is] = [before, after].map((record) => latestSnapshot(placementOf(hold, record)));
    const isNew = is !== undefined && is.index !== was?.index;
    if (found.has(key) || (known.has(key) && !isNew)) continue;
    const author = is?.commit === undefined ? undefined : authors?.get(is.commit);
    found.set(key, {
      title: titleOf(hold.subject),
      isRun: !isOfPlacement(hold),
      why: whyOf(hold, after),
      snapshot: isNew ? { snapshot: is.index, commit: is.commit, author } : undefined,
    });
  }
  return [...found.values()];
}

/** `shop: snapshot 4 (3676ffc, Ann) held until 2026-11-20 18:00 UTC: freeze night` */
export const heldSentences = (held: readonly Held[]): Sentence[] =>
  [...Map.groupBy(held, ({ why }) => why)].map(([why, [first, ...others]]): Sentence => {
    const all = [first!, ...others];
    if (others.length > 0) {
      const kind = all.every(({ isRun }) => isRun)
        ? 'runs'
        : all.some(({ isRun }) => isRun)
          ? 'rollouts'
          : 'placements';
      return [`${shortList(all.map(({ title }) => title))}: ${why}`, `${all.length} ${kind}: ${why}`];
    }
    const { title, snapshot } = first!;
    const short = `${title}: ${why}`;
    if (snapshot === undefined) return [short];
    const [whole, ...shorter] = originForms(snapshot);
    const named = (origin: string): string => `${title}: snapshot ${snapshot.snapshot}${origin} ${why}`;
    return [named(whole), ...shorter.map(named), short];
  });

const isTold = (hold: GroupedHold): boolean => meaningOf(hold).isTold === true && isWork(hold.subject.kind);

/** The next window of a run is another one after each. */
const keyOf = (hold: GroupedHold, record: FleetRecord): string =>
  JSON.stringify([
    hold.subject.kind,
    titleOf(hold.subject),
    hold.reason,
    hold.reason === 'WindowClosed' || whyOf(hold, record),
  ]);

const isOfPlacement = ({ subject: { kind } }: GroupedHold): boolean => isPlacementKind(kind);

const placementOf = (hold: GroupedHold, { placements }: FleetRecord): RecordedPlacement | undefined =>
  isOfPlacement(hold) ? placements.get(placementKey(hold.subject)) : undefined;

const latestSnapshot = (placement: RecordedPlacement | undefined) => latestOf(placement?.state.resourceSnapshots ?? []);

function whyOf(hold: GroupedHold, record: FleetRecord): string {
  const { subject, reason, until } = hold;
  const suspended = placementOf(hold, record)?.object?.metadata.annotations?.[suspendedAnnotation];
  if (reason === 'Freeze' && until === undefined && suspended !== undefined) return `held: ${suspendedText(suspended)}`;
  const message = messageOf(hold).replace(new RegExp(`^run ${subject.name}:? `), '');
  const ends = /\b(?:once|until) (.+)$/.exec(message)?.[1];
  if (until !== undefined) return heldUntil(until, ends ?? message);
  // Sentences of several objects are joined by semicolons.
  return (reason === 'Freeze' && ends !== undefined ? `held until ${ends}` : message).replaceAll(';', ',');
}

/** `freeze night ends at 2026-11-20T18:00:00Z` */
const heldUntil = (until: Timestamp, ends: string): string =>
  `held until ${instantText(until)}: ${ends.replace(/(?: ends| opens)? at \S+$/, '')}`;
