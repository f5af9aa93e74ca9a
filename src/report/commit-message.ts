import { shortList } from '../engine/kernel/short-list.ts';
import { shortened } from '../engine/kernel/shortened.ts';
import type { Change } from './change.ts';
import { sentencesOf } from './events.ts';

/** Longest subject, characters: `git log --oneline` shows it whole on a usual terminal. */
const longestSubject = 72;

/** Message of a status commit: what a reader of `git log` wants to know, no ages and no counts that change by themselves. */
export function statusMessage(change: Change): string {
  const { plan } = change;
  const found = sentencesOf(change);
  const sentences = found.length === 0 ? [withoutEvents(change)] : found;
  const subject = subjectOf(sentences);
  return [
    subject,
    '',
    ...(subject === sentences.join('; ') ? [] : [...sentences, '']),
    '[skip ci]',
    '',
    `Gitfleet-Commit: ${plan.commit}`,
    `Gitfleet-Plan: ${plan.digest}`,
  ].join('\n');
}

/** As many whole sentences as fit, and how many more there are. Only the first one is ever cut, after a word. */
function subjectOf(sentences: readonly string[]): string {
  for (let kept = sentences.length; kept > 0; kept--) {
    const text = sentences.slice(0, kept).join('; ') + more(sentences.length - kept);
    if (text.length <= longestSubject) return text;
  }
  const rest = more(sentences.length - 1);
  return cutAfterWord(sentences[0]!, longestSubject - rest.length) + rest;
}

const more = (count: number): string => (count === 0 ? '' : `; and ${count} more`);

/** A text without spaces is cut where it must be. */
function cutAfterWord(text: string, most: number): string {
  const end = text.slice(0, most).lastIndexOf(' ');
  return end > 0 ? `${text.slice(0, end).replace(/[,;:]$/, '')}…` : shortened(text, most);
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
