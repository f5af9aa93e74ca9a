import type { ProblemCode } from './problem.ts';

/** Something wrong inside one document; the loader turns it into a Problem with file, line and column. */
export interface Issue {
  readonly severity: 'error' | 'warning' | 'info';
  readonly code: ProblemCode;
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** What to write instead. */
  readonly fix?: string;
  /** The value that `fix` tells to write here, in place of the one that is refused: it can be tried. */
  readonly suggests?: string | number | boolean | undefined;
  /** The offending value as text. */
  readonly value?: string;
}

/** A finding about one object of several, by its index in their list. */
export interface IssueAt {
  readonly index: number;
  readonly issue: Issue;
  /** The object that the finding is also about. */
  readonly other?: number;
}

/** What keeps an object from being accepted; `fix` says what to write instead. */
export const error = (code: ProblemCode, path: Issue['path'], message: string, fix: string): Issue => ({
  severity: 'error',
  code,
  path,
  message,
  fix,
});

/** What is accepted and most likely not meant. */
export const warning = (code: ProblemCode, path: Issue['path'], message: string, fix?: string): Issue => ({
  severity: 'warning',
  code,
  path,
  message,
  ...(fix === undefined ? {} : { fix }),
});

/** What a person may want to know. */
export const info = (code: ProblemCode, path: Issue['path'], message: string): Issue => ({
  severity: 'info',
  code,
  path,
  message,
});
