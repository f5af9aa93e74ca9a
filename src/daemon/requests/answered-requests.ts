import type { PullRequest } from '../../forge/forge.ts';
import { answeredBody, saysHowToDecide } from '../../report/approval/approval-markdown.ts';

/** An approval that was given. */
export interface AnsweredRequest {
  readonly name: string;
  /** `Approved by Ann in commit 41ab9c0, 2026-11-20T10:00:00Z` */
  readonly answer: string;
  /** The status branch still lists its pull request, so that there is one. */
  readonly isListed: boolean;
}

/** A pull request whose text still says how to decide, by name of the approval. */
export interface Outdated {
  readonly answer: string;
  /** Undefined: it is looked for. */
  readonly pull: Text | undefined;
}

type Text = Pick<PullRequest, 'number' | 'title' | 'body'>;

export type AnsweredCall =
  | { readonly kind: 'seek'; readonly name: string }
  | ({ readonly kind: 'rewrite'; readonly name: string } & Text);

/** `known`: pull requests, as far as they were seen. A process that starts after the merge has seen none. */
export function withAnswers(
  before: ReadonlyMap<string, Outdated>,
  {
    answers,
    known,
  }: { readonly answers: readonly AnsweredRequest[]; readonly known: ReadonlyMap<string, PullRequest> },
): ReadonlyMap<string, Outdated> {
  const outdated = new Map<string, Outdated>();
  for (const { name, answer, isListed } of answers) {
    const pull = known.get(name) ?? before.get(name)?.pull;
    if (pull ? saysHowToDecide(pull.body) : isListed || before.has(name)) outdated.set(name, { answer, pull });
  }
  return outdated;
}

/** `pulls`: newest first. One that was never merged stays as it is. */
export function withSought(
  before: ReadonlyMap<string, Outdated>,
  { name, pulls }: { readonly name: string; readonly pulls: readonly PullRequest[] },
): ReadonlyMap<string, Outdated> {
  const [pull] = pulls;
  const asked = before.get(name);
  const isFound = asked && pull && pull.state !== 'closed' && saysHowToDecide(pull.body);
  return isFound ? new Map(before).set(name, { ...asked, pull }) : withoutAnswer(before, name);
}

export const withoutAnswer = (before: ReadonlyMap<string, Outdated>, name: string): ReadonlyMap<string, Outdated> =>
  new Map([...before].filter(([it]) => it !== name));

export function callForAnswered(outdated: ReadonlyMap<string, Outdated>): AnsweredCall | undefined {
  for (const [name, { answer, pull }] of outdated) {
    if (pull === undefined) return { kind: 'seek', name };
    const { number, title, body } = pull;
    return { kind: 'rewrite', name, number, title, body: answeredBody(body, answer) };
  }
  return undefined;
}
