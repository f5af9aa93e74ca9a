import type { YAMLError } from 'yaml';
import type { Problem, ProblemCode } from '../../api/problem.ts';

/**
 * An error of the YAML parser in our words. Quotes its line from `text`; without `text` (the file has a Secret) it quotes nothing and
 * does not use the parser's message, which may quote. `offset`: where the error is in that text.
 */
export function syntaxFinding(
  error: YAMLError,
  text: string | undefined,
  offset = error.pos[0],
): Pick<Problem, 'code' | 'message' | 'fix' | 'value'> {
  const known = words[error.code];
  const message = known?.message ?? (text === undefined ? 'this is not YAML' : firstLine(error.message));
  const value = text === undefined ? '' : lineAt(text, offset);
  const unclosed = /end with a ([}\]])/.exec(error.message)?.[1];
  return {
    code: known?.code ?? 'yaml-syntax',
    message,
    fix: unclosed
      ? `close the ${unclosed === '}' ? '{' : '['} with ${unclosed}`
      : (known?.fix ?? 'fix the YAML at this position'),
    ...(value === '' ? {} : { value }),
  };
}

export const misplacedFix = 'align the line with its siblings';

const words: Readonly<Partial<Record<YAMLError['code'], { code?: ProblemCode; message?: string; fix?: string }>>> = {
  DUPLICATE_KEY: {
    code: 'duplicate-key',
    message: 'the key occurs twice in one map',
    fix: 'keep one of the two',
  },
  RESOURCE_EXHAUSTION: { code: 'too-deep', message: 'nested too deep', fix: 'flatten the document' },
  TAB_AS_INDENT: { message: 'tabs cannot be used for indentation', fix: 'indent with spaces' },
  BAD_INDENT: { fix: misplacedFix },
  BAD_ALIAS: {
    code: 'yaml-alias',
    message: 'the alias cannot be resolved',
    fix: 'write the value out, or put it into quotes',
  },
  MISSING_CHAR: { fix: 'add what is missing' },
  BAD_SCALAR_START: {
    message: 'a plain string cannot start with this character',
    fix: 'put the string into quotes',
  },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'a map cannot start in the middle of a line that has a key already',
    fix: 'put a string with ": " into quotes, or start a new line',
  },
};

const firstLine = (message: string): string => message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, '');

/** The line at an offset, shortened for quoting. */
export const lineAt = (text: string, offset: number): string => {
  const begin = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return text
    .slice(begin, end < 0 ? undefined : end)
    .trim()
    .slice(0, 80);
};
