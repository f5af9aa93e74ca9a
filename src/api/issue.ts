import type { ProblemCode } from './problem.ts';

/** An issue inside one document; the loader makes it a Problem with file, line and column. */
export interface Issue {
  readonly severity: 'error' | 'warning' | 'info';
  readonly code: ProblemCode;
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** What to write instead. */
  readonly fix?: string;
  /** The value that `fix` suggests in place of the refused one, so that it can be validated. */
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

/** An issue because of which an object is refused; `fix` contains what to write instead. */
export const error = (code: ProblemCode, path: Issue['path'], message: string, fix: string): Issue => ({
  severity: 'error',
  code,
  path,
  message,
  fix,
});

/** An issue with accepted but probably unintended content. */
export const warning = (code: ProblemCode, path: Issue['path'], message: string, fix?: string): Issue => ({
  severity: 'warning',
  code,
  path,
  message,
  ...(fix === undefined ? {} : { fix }),
});

/** A note for users. */
export const info = (code: ProblemCode, path: Issue['path'], message: string): Issue => ({
  severity: 'info',
  code,
  path,
  message,
});
