import type { FailedPlacement } from '../../api/placement.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import { cutAfterWord } from '../cut-after-word.ts';
import { differenceNames } from './new-differences.ts';
import type { BindingEvent, PlacementEvent, Version } from './placement-event.ts';

type EventOnCluster = PlacementEvent & BindingEvent;

/** Where a snapshot is from. */
export type Origin = Pick<Version, 'commit' | 'author'>;

/** How much a clause says of clusters, and of the commit behind a snapshot. */
interface Form {
  readonly clusters: (names: readonly string[]) => string;
  readonly origin: (of: Origin) => string;
}

/** Longest name of an author in a subject. */
const longestAuthor = 20;

/** Longest text about an object that is not applied, in a body. */
const longestFailure = 200;

const counted = (names: readonly string[]): string => (names.length === 1 ? names[0]! : `${names.length} clusters`);
const origin = ({ commit, author }: Origin): string =>
  commit === undefined ? '' : ` (${[commit.slice(0, 7), author].filter(Boolean).join(', ')})`;
const shortOrigin = ({ commit, author }: Origin): string =>
  origin({ commit, author: author && cutAfterWord(author, longestAuthor) });
const originWithoutAuthor = ({ commit }: Origin): string => origin({ commit });

/** ` (3676ffc, Ann)`, then with less of the name, and with less of it all. */
export const originForms = (of: Origin): readonly [string, ...string[]] => [
  origin(of),
  shortOrigin(of),
  originWithoutAuthor(of),
  '',
];

const whole: Form = { clusters: shortList, origin };
/** The longest first. */
const shorter: readonly Form[] = [
  { clusters: shortList, origin: shortOrigin },
  { clusters: counted, origin: shortOrigin },
  { clusters: counted, origin: originWithoutAuthor },
  { clusters: counted, origin: () => '' },
];

/** What happens on the clusters of a placement, for a status commit: clauses, each whole and in shorter forms. */
export function clausesOf(events: readonly EventOnCluster[]): (readonly [string, ...string[]])[] {
  const others = shorter.map((form) => clausesIn(form, events));
  return clausesIn(whole, events).map((clause, at) => [clause, ...others.map((clauses) => clauses[at]!)]);
}

/** In the order in which they are named. */
const moveKinds = ['installing', 'updating', 'removing'] as const satisfies readonly BindingEvent['kind'][];

/** While anything moves, only moves; otherwise the most important that became of each cluster, once for all that share it. */
function clausesIn(form: Form, events: readonly EventOnCluster[]): string[] {
  const moves = moveKinds.flatMap((kind) =>
    shared(
      form,
      events.filter((event) => event.kind === kind),
      moveClause,
    ),
  );
  const rest = events.filter(({ kind }) => !moveKinds.some((move) => move === kind));
  const { gone = [], outcomes = [] } = Object.groupBy(rest, ({ kind }) => (kind === 'gone' ? 'gone' : 'outcomes'));
  const isDeleted = events.some((event) => event.kind === 'removing' && event.isDeleted);
  if (moves.length > 0 && !isDeleted) return [moves.join(', ')];
  return [...moves, ...shared(form, outcomes, outcomeClause), ...shared(form, gone, outcomeClause)];
}

/** A clause with `{}` for its clusters. */
type ClauseOf = (event: EventOnCluster, snapshot: string | undefined) => string | undefined;

/** `available on eu-1, us-1`: of each cluster the first event that has a clause. */
function shared({ clusters, origin }: Form, events: readonly EventOnCluster[], clauseOf: ClauseOf): string[] {
  const clauses = new Map<string, string>();
  for (const event of events) {
    const { cluster, version } = event;
    const snapshot = version && `snapshot ${version.snapshot}${origin(version)}`;
    const clause = clauses.has(cluster) ? undefined : clauseOf(event, snapshot);
    if (clause !== undefined) clauses.set(cluster, clause);
  }
  const groups = Map.groupBy(clauses.keys(), (cluster) => clauses.get(cluster)!);
  return [...groups].map(([clause, names]) => clause.replace('{}', () => clusters(names)));
}

function moveClause(event: EventOnCluster, snapshot: string | undefined): string | undefined {
  if (event.kind === 'installing') return snapshot === undefined ? 'install on {}' : `install ${snapshot} on {}`;
  if (event.kind === 'updating') return snapshot === undefined ? 'update {}' : `update {} to ${snapshot}`;
  return event.kind === 'removing' && event.isDeleted ? 'deleted, remove from {}' : 'remove from {}';
}

/** `StatefulSet shop/db: spec: Forbidden: …`: what the API server answers names the object too (apimachinery, NewInvalid). */
function failure(object: FailedPlacement): string {
  const { message, reason } = object.condition;
  const why = (message || reason).replace(/^.*?\S+ ".*?" is invalid: /, '').replace(/\s+/g, ' ');
  // Sentences of several objects are joined by semicolons.
  return cutAfterWord(`${describeRef(object)}: ${why}`, longestFailure).replaceAll(';', ',');
}

function outcomeClause(event: EventOnCluster, snapshot: string | undefined): string | undefined {
  switch (event.kind) {
    case 'installing':
    case 'updating':
    case 'removing':
      return undefined;
    case 'gone':
      return { removed: 'removed from {}', left: 'released on {}', abandoned: 'deleted, released on {}' }[event.how];
    case 'drifted':
      return `drift on {}: ${differenceNames(event.objects)}`;
    case 'differs':
      return `differs on {}: ${differenceNames(event.objects)}`;
    case 'failed':
      return event.objects.length > 0 ? `failed on {}: ${shortList(event.objects.map(failure))}` : undefined;
    case 'drift-over':
      return 'no drift on {}';
    case 'difference-over':
      return 'no longer differs on {}';
    case 'not-available':
      return `not available on {}${event.cause === undefined ? '' : `: ${event.cause}`}`;
    case 'available':
    case 'compared':
    case 'applied':
      return `${snapshot === undefined ? '' : `${snapshot} `}${event.kind} on {}`;
    default:
      return assertNever(event);
  }
}
