import type { Problem } from '../../../api/problem.ts';
import { byText } from '../../../engine/kernel/ordering.ts';
import type { Metrics } from '../../report/metrics.ts';
import { refusedCode } from '../refused-status.ts';
import { mismatchCode } from './mismatch.ts';

/**
 * Mismatches, and the last refused commit of the status branch, stay reported until the next commit of the followed branch; each is
 * counted once.
 */
export interface KeptMismatches {
  /** `reported`: by the status branch, for the same commit. */
  keepAt(commit: string, of: { readonly found: readonly Problem[]; readonly reported: readonly Problem[] }): void;
  /** All that are kept. */
  all(): readonly Problem[];
  /** Keeps mismatches, and returns new ones, and claims that are unproven as long as this is called with them. */
  unreported(mismatches: readonly Problem[], unproven: readonly Problem[]): readonly Problem[];
}

export function keptMismatches(metrics: Metrics): KeptMismatches {
  let kept: { readonly commit: string; readonly problems: Map<string, Problem> } | undefined;
  let counted: ReadonlySet<string> = new Set();

  /** Returns those that were not kept before. */
  function keep(found: readonly Problem[]): readonly Problem[] {
    const fresh = found.filter((problem) => kept?.problems.get(keyOf(problem))?.message !== problem.message);
    for (const problem of fresh) kept?.problems.set(keyOf(problem), problem);
    for (const _ of fresh) metrics.count('gitfleet_record_mismatch_total');
    return fresh;
  }

  return {
    keepAt(commit, { found, reported }) {
      if (kept?.commit !== commit) kept = { commit, problems: new Map() };
      keep(found);
      for (const problem of reported) if (keptCodes.has(problem.code)) kept.problems.set(keyOf(problem), problem);
    },
    all: () => [...(kept?.problems ?? [])].sort(([a], [b]) => byText(a, b)).map(([, problem]) => problem),
    unreported(mismatches, unproven) {
      const texts = new Set(unproven.map(textOf));
      for (const _ of texts.difference(counted)) metrics.count('gitfleet_record_mismatch_total');
      counted = texts;
      return [...keep(mismatches), ...unproven];
    },
  };
}

const keptCodes: ReadonlySet<string> = new Set([mismatchCode, refusedCode]);

/** Of refused commits there may be any number. */
const keyOf = (problem: Problem): string => (problem.code === refusedCode ? refusedCode : textOf(problem));

const textOf = ({ file, message }: Problem): string => `${file} ${message}`;
