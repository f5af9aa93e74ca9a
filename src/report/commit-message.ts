import type { Problem } from '../api/problem.ts';
import { isOfDelivery } from '../engine/delivery/delivery-problems.ts';
import { shortList } from '../engine/kernel/short-list.ts';
import { newProblems } from '../repo/fleet/positions.ts';
import type { Change } from './change.ts';
import { cutAfterWord } from './cut-after-word.ts';
import type { Sentence } from './event-source.ts';
import { newsOf, sentencesOf } from './events.ts';

/** Longest subject, characters: `git log --oneline` shows it whole on a usual terminal. */
const longestSubject = 72;

/** Message of a status commit: what a reader of `git log` wants to know, no ages and no counts that change by themselves. */
export function statusMessage(change: Change): string {
  const { plan } = change;
  const news = newsIn(change);
  const sentences = news.length > 0 ? [...news, ...endedBeside(change)] : withoutEvents(change);
  const subject = subjectOf(sentences);
  const whole = sentences.map(([first]) => first);
  return [
    subject,
    '',
    ...(subject === whole.join('; ') ? [] : [...whole, '']),
    '[skip ci]',
    '',
    `Gitfleet-Commit: ${plan.commit}`,
    `Gitfleet-Plan: ${plan.digest}`,
  ].join('\n');
}

/** Whether a status commit would tell people something that no earlier one has told. */
export const hasNews = (change: Change): boolean =>
  change.before.commit !== change.plan.commit ||
  newsIn(change).length > 0 ||
  unreported(change).length > 0 ||
  solved(change).length > 0;

const newsIn = (change: Change): readonly Sentence[] => [...newsOf(change), ...pullRequests(change)];

/** A commit that approves says it itself. */
const pullRequests = ({ pages }: Change): readonly Sentence[] =>
  [...(pages?.after ?? [])].flatMap(([name, { state }]) =>
    state === 'merged' || state === pages?.before.get(name)?.state ? [] : [[`${name}: pull request ${state}`]],
  );

const unreported = ({ plan, reported = [] }: Change): readonly Problem[] => newProblems(reported, plan.problems);

/** Not what is now wrong in another way, as on other clusters. */
function solved(change: Change): readonly Problem[] {
  const causeIn = ({ code, file }: Problem): string => `${code} ${file}`;
  const changed = new Set(unreported(change).map(causeIn));
  return newProblems(change.plan.problems, change.reported ?? []).filter((problem) => !changed.has(causeIn(problem)));
}

/** A plan carries out nothing of a refused commit: that of the record is then not the one in effect. */
const refusalOver = ({ before: { inEffect, commit }, plan }: Change): Sentence[] =>
  plan.guard.length === 0 && inEffect !== undefined && inEffect.commit !== commit ? [['no longer refused']] : [];

/** What becomes of objects that clusters refused is news of its placement. */
const endedBeside = (change: Change): Sentence[] => [
  ...refusalOver(change),
  ...solutions(solved(change).filter(({ code }) => !isOfDelivery(code))),
];

const problemText = ({ file, message }: Problem): string => (file ? `${file}: ${message}` : message);

/** As many sentences as fit, in the longest forms that fit, and how many more there are. Only a single one is ever cut, after a word. */
function subjectOf(sentences: readonly Sentence[]): string {
  const forms = Math.max(...sentences.map(({ length }) => length));
  for (let kept = sentences.length; kept > 0; kept--)
    for (let form = 0; form < forms; form++) {
      const shown = sentences.slice(0, kept).map((each) => each[Math.min(form, each.length - 1)]);
      const text = shown.join('; ') + more(sentences.length - kept);
      if (text.length <= longestSubject) return text;
    }
  const rest = more(sentences.length - 1);
  return cutAfterWord(sentences[0]!.at(-1)!, longestSubject - rest.length) + rest;
}

const more = (count: number): string => (count === 0 ? '' : `; and ${count} more`);

/** Nothing happened that people want to know: a new commit was read, a problem was found, or the status of something changed. */
function withoutEvents(change: Change): readonly Sentence[] {
  const { before, after, plan, authors } = change;
  const isFollowed = before.commit !== plan.commit;
  const problem = unreported(change).find(({ severity }) => severity === 'error' || !isFollowed);
  if (problem) return [[problemText(problem)]];
  const ended = [...refusalOver(change), ...solutions(solved(change))];
  if (isFollowed) {
    const follow = `Follow ${plan.commit.slice(0, 7)}`;
    const author = authors?.get(plan.commit);
    const named = author === undefined ? follow : `${follow} (${author})`;
    return [[named, named, follow], ...ended];
  }
  if (ended.length > 0) return ended;
  const quiet = sentencesOf(change);
  if (quiet.length > 0) return quiet;
  const changed = Object.entries(before).flatMap(([part, entries]) =>
    entries instanceof Map ? changedIn(entries, after[part as keyof typeof after] as typeof entries) : [],
  );
  // A cluster may have changed as such and by its nodes.
  return [[changed.length > 0 ? `Update status of ${shortList([...new Set(changed)])}` : 'Update status']];
}

/** One for each file. */
const solutions = (problems: readonly Problem[]): Sentence[] =>
  [...Map.groupBy(problems, (problem) => problem.file ?? problemText(problem))].map(([where, [first, ...others]]) => {
    const count = others.length === 0 ? '' : ` and ${others.length} more`;
    return [`solved: ${problemText(first!)}${count}`, `solved: ${where}`];
  });

/** Names whose entries differ; what was published last keeps its identity, so few are compared. */
const changedIn = (before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] =>
  [...after]
    .filter(([key, value]) => before.get(key) !== value && textOfEntry(before.get(key)) !== textOfEntry(value))
    .map(([key]) => key);

const textOfEntry = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (part instanceof Map ? [...part] : part)) ?? '';
