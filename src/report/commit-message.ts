import { shortList } from '../engine/kernel/short-list.ts';
import { shortened } from '../engine/kernel/shortened.ts';
import type { Change } from './change.ts';
import { sentencesOf } from './events.ts';

/** Longest subject, as `git log --oneline` shows it on a usual terminal. */
const longestSubject = 100;
const mostInSubject = 3;

/** Message of a status commit: what a reader of `git log` wants to know, no ages and no counts that change by themselves. */
export function statusMessage(change: Change): string {
  const { plan } = change;
  const sentences = sentencesOf(change);
  const whole = sentences.length === 0 ? withoutEvents(change) : subjectOf(sentences);
  const subject = shortened(whole, longestSubject);
  return [
    subject,
    '',
    ...(subject !== whole || sentences.length > mostInSubject ? [...sentences, ''] : []),
    '[skip ci]',
    '',
    `Gitfleet-Commit: ${plan.commit}`,
    `Gitfleet-Plan: ${plan.digest}`,
  ].join('\n');
}

function subjectOf(sentences: readonly string[]): string {
  const more = sentences.length - mostInSubject;
  return sentences.slice(0, mostInSubject).join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** Nothing happened: a new commit was read, or the status of something changed. */
function withoutEvents({ before, after, plan }: Change): string {
  const [problem] = plan.problems.filter(({ severity }) => severity === 'error');
  if (problem) return problem.file ? `${problem.file}: ${problem.message}` : problem.message;
  if (before.commit !== plan.commit) return `Follow ${plan.commit.slice(0, 12)}`;
  const changed = Object.entries(before).flatMap(([part, entries]) =>
    entries instanceof Map ? changedIn(entries, after[part as keyof typeof after] as typeof entries) : [],
  );
  return changed.length > 0 ? `Update status of ${shortList(changed)}` : 'Update status';
}

/** Names whose entries differ; what was published last keeps its identity, so few are compared. */
const changedIn = (before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] =>
  [...after]
    .filter(([key, value]) => before.get(key) !== value && textOfEntry(before.get(key)) !== textOfEntry(value))
    .map(([key]) => key);

const textOfEntry = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (part instanceof Map ? [...part] : part)) ?? '';
