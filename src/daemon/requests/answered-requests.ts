import type { PullRequest } from '../../forge/forge.ts';
import { answeredBody, type RequestAnswer, saysHowToDecide } from '../../report/approval/approval-markdown.ts';

/** An approval that was given or rejected, or that is no longer requested. */
export interface AnsweredRequest extends RequestAnswer {
  readonly name: string;
  /** There may be a pull request: the status branch still lists it, or its branch was withdrawn now. */
  readonly isOpened: boolean;
}

/** A pull request whose text still says how to decide, by name of the approval. */
export interface Outdated {
  readonly answer: RequestAnswer;
  /** Undefined: it is looked for. */
  readonly pull: Text | undefined;
}

type Text = Pick<PullRequest, 'number' | 'title' | 'body'>;

export type AnsweredCall =
  | { readonly kind: 'seek'; readonly name: string }
  | ({ readonly kind: 'rewrite'; readonly name: string } & Text);

/**
 * `known`: pull requests, as far as they were seen. A process that starts after the merge has seen none. What was answered before stays
 * until its text is written, unless it is requested again.
 */
export function withAnswers(
  before: ReadonlyMap<string, Outdated>,
  {
    answers,
    wanted,
    known,
  }: {
    readonly answers: readonly AnsweredRequest[];
    readonly wanted: ReadonlyMap<string, unknown>;
    readonly known: ReadonlyMap<string, PullRequest>;
  },
): ReadonlyMap<string, Outdated> {
  const outdated = new Map([...before].filter(([name]) => !wanted.has(name)));
  for (const { name, isOpened, ...answer } of answers) {
    // Of one that is no longer requested it is not known whether it was merged meanwhile.
    const pull = answer.outcome === 'dropped' ? undefined : (known.get(name) ?? before.get(name)?.pull);
    if (pull ? saysHowToDecide(pull.body) : isOpened || before.has(name)) outdated.set(name, { answer, pull });
    else outdated.delete(name);
  }
  return outdated;
}

/** `pulls`: newest first. One that was merged as it was no longer requested stays as it is: that is how a proposed run is approved. */
export function withSought(
  before: ReadonlyMap<string, Outdated>,
  { name, pulls }: { readonly name: string; readonly pulls: readonly PullRequest[] },
): ReadonlyMap<string, Outdated> {
  const [pull] = pulls;
  const asked = before.get(name);
  const isLeft = asked?.answer.outcome === 'dropped' && pull?.state === 'merged';
  const isFound = asked && pull && !isLeft && saysHowToDecide(pull.body);
  return isFound ? new Map(before).set(name, { ...asked, pull }) : withoutAnswer(before, name);
}

export const withoutAnswer = (before: ReadonlyMap<string, Outdated>, name: string): ReadonlyMap<string, Outdated> =>
  new Map([...before].filter(([it]) => it !== name));

export const callsForAnswered = (outdated: ReadonlyMap<string, Outdated>): AnsweredCall[] =>
  [...outdated].map(([name, { answer, pull }]) => {
    if (pull === undefined) return { kind: 'seek', name };
    const { number, title, body } = pull;
    return { kind: 'rewrite', name, number, title, body: answeredBody(body, answer) };
  });
