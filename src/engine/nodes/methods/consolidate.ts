import { attempt, attemptInTurn, commandsOf, type Found, openSearch, type Search } from './attempt.ts';
import { draftOf } from './graceful.ts';
import { isFree, noteOverBudget, type PlanState } from './plan-state.ts';
import { openSpending } from './spending.ts';

/**
 * Takes away nodes whose pods fit elsewhere, and replaces nodes by a cheaper one, until nothing more is found. Several ways of searching
 * are tried, the prefixes that Karpenter looks at among them, and the one that saves most counts: so it is never worse than Karpenter's.
 * Not more than `most` nodes go.
 */
export function consolidate(state: PlanState, mostNew: number, most: number): void {
  if (most === 0) return;
  const search = openSearch(state, mostNew > 0 ? 1 : 0);
  if (search.candidates.length === 0) return;
  const ways =
    search.candidates.length > mostForAllWays
      ? [deletionsFirst, prefixFirst]
      : [deletionsFirst, replacementsFirst, prefixFirst];
  let best: readonly Found[] = [];
  const { bears } = openSpending(state, 'Underutilized');
  const mayTake = search.candidates.some((at) => bears([at]));
  for (const way of mayTake ? ways : []) {
    const trial = openTrial(search, most);
    way(trial);
    trial.end();
    if (best.length === 0 || savingOf(trial.found) > savingOf(best) + negligible) best = trial.found;
  }
  for (const found of best) {
    state.scheduling.commit(found.nodes, found.result);
    state.take(draftOfFound(found, state));
  }
  if (mostNew > 0) noteKept(search);
}

/** In larger clusters one way less is tried. */
const mostForAllWays = 100;
/** Prices are sums of float64. */
const negligible = 1e-9;

const savingOf = (found: readonly Found[]): number => found.reduce((sum, { saving }) => sum + saving, 0);

const draftOfFound = ({ nodes, result, replacement }: Found, state: PlanState) =>
  draftOf(
    nodes,
    result,
    {
      method: nodes.length > 1 ? ('MultiNodeConsolidation' as const) : ('SingleNodeConsolidation' as const),
      reason: 'Underutilized',
    },
    state,
    replacement === undefined ? [] : [replacement],
  );

/** One way of searching: what it found so far stands, until the trial ends. */
interface Trial {
  readonly search: Search;
  readonly found: Found[];
  readonly open: () => readonly number[];
  readonly isOpen: (at: number) => boolean;
  readonly take: (found: Found) => void;
  readonly bears: (nodes: readonly number[]) => boolean;
  readonly end: () => void;
}

function openTrial(search: Search, most: number): Trial {
  const { state, candidates } = search;
  const mark = state.scheduling.mark();
  const found: Found[] = [];
  const taken: number[] = [];
  const { bears, spend } = openSpending(state, 'Underutilized');
  const isOpen = (at: number): boolean => !taken.includes(at) && isFree(state, at);
  return {
    search,
    found,
    isOpen,
    open: () => candidates.filter(isOpen),
    bears: (nodes) => taken.length + nodes.length <= most && bears(nodes),
    take(together) {
      for (const one of commandsOf(together, search)) {
        found.push(one);
        taken.push(...one.nodes);
        spend(one.nodes);
        state.scheduling.commit(one.nodes, one.result);
      }
    },
    end: () => state.scheduling.rollback(mark),
  };
}

function deletionsFirst(trial: Trial): void {
  deleteMany(trial);
  replaceMany(trial);
  oneByOne(trial);
}

function replacementsFirst(trial: Trial): void {
  replaceMany(trial);
  deleteMany(trial);
  oneByOne(trial);
}

function prefixFirst(trial: Trial): void {
  const first = prefix(trial) ?? firstSingle(trial);
  if (first) trial.take(first);
  deletionsFirst(trial);
}

/** Every node whose pods fit on those that stay, in one command. */
function deleteMany(trial: Trial): void {
  const found = attemptInTurn(trial.open(), trial.search, trial.bears);
  if (found) trial.take(found);
}

/** Sets of nodes that one cheaper node replaces, from each promising candidate on: a set grows as long as it saves more. */
function replaceMany(trial: Trial): void {
  for (let rounds = 0; rounds < mostRounds; rounds++) {
    const open = trial.open();
    let best: Found | undefined;
    for (const seed of open.slice(0, mostSeeds)) {
      const grown = growFrom(seed, open, trial);
      if (grown && (best === undefined || grown.saving > best.saving + negligible)) best = grown;
    }
    if (best === undefined) return;
    trial.take(best);
  }
}

const mostRounds = 20;
const mostSeeds = 6;
/** A set is not tried with more candidates than this after the last that fitted. */
const mostMisses = 12;

function growFrom(seed: number, open: readonly number[], trial: Trial): Found | undefined {
  let nodes: readonly number[] = [seed];
  let best: Found | undefined;
  let misses = 0;
  for (const at of open.slice(open.indexOf(seed) + 1)) {
    if (misses > mostMisses) break;
    const larger = [...nodes, at];
    if (!trial.bears(larger)) continue;
    const found = attempt(larger, trial.search);
    if (found === undefined || (best && found.saving <= best.saving)) {
      misses++;
      continue;
    }
    misses = 0;
    best = found;
    nodes = larger;
  }
  return best;
}

/** The longest prefix of the order for which a command is valid, by bisection, as Karpenter looks for it (multinodeconsolidation.go). */
function prefix(trial: Trial): Found | undefined {
  const list: number[] = [];
  for (const at of trial.open()) if (trial.bears([...list, at])) list.push(at);
  if (list.length < 2) return undefined;
  let best: Found | undefined;
  let low = 1;
  let high = list.length <= 100 ? list.length - 1 : 100;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = attempt(list.slice(0, middle + 1), trial.search);
    if (found) {
      best = found;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
}

function firstSingle(trial: Trial): Found | undefined {
  for (const at of trial.open()) {
    const found = trial.bears([at]) ? attempt([at], trial.search) : undefined;
    if (found) return found;
  }
  return undefined;
}

function oneByOne(trial: Trial): void {
  for (const at of trial.open()) {
    if (!trial.isOpen(at) || !trial.bears([at])) continue;
    const found = attempt([at], trial.search, { order: trial.search.gentleOrder }) ?? attempt([at], trial.search);
    if (found) trial.take(found);
  }
}

/** Nodes that would go if the budgets of their pools bore them, as far as so many attempts find out. */
function noteKept(search: Search): void {
  const { state, candidates } = search;
  let attempts = 0;
  for (const at of candidates) {
    const pool = state.cluster.nodes[at]!.pool!;
    if (!isFree(state, at) || state.remaining(pool, 'Underutilized') > 0) continue;
    if (attempts++ >= mostAttempts) return;
    if (attempt([at], search)) noteOverBudget(state, pool.name, at);
  }
}

const mostAttempts = 50;
