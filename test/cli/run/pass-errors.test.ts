import { expect, it } from 'vitest';
import type { Problem } from '../../../src/api/problem.ts';
import { throwPassErrors } from '../../../src/cli/run/pass-errors.ts';
import { CliError } from '../../../src/cli/terminal/exit.ts';
import type { PassResult } from '../../../src/daemon/pass/pass-result.ts';

const wrong = (file: string): Problem => ({ severity: 'error', code: 'yaml-syntax', file, line: 2, message: 'no end' });
const warning: Problem = { severity: 'warning', code: 'no-use', message: 'is not used' };

const pass = (kind: 'published' | 'refused', ...problems: Problem[]) =>
  ({ kind, plan: { problems } }) as unknown as PassResult;

it.each([
  ['nothing', pass('published', warning), true, undefined, undefined],
  [
    'errors that were logged',
    pass('refused', wrong('a'), warning, wrong('b')),
    true,
    2,
    '2 errors in the fleet repo, logged above',
  ],
  ['one of them', pass('published', wrong('a')), true, 2, '1 error in the fleet repo, logged above'],
  [
    'errors where the log is silent',
    pass('published', wrong('a'), wrong('b')),
    false,
    2,
    'a:2: error[yaml-syntax]: no end\nb:2: error[yaml-syntax]: no end',
  ],
  ['a refusal', pass('refused', warning), true, 4, 'refused by the guard: see the status branch'],
])('run --once ends with %s, each reported once', (_, result, isLogged, code, reported) => {
  const end = () => throwPassErrors(result, { unreached: undefined, isLogged });
  if (reported === undefined) expect(end).not.toThrow();
  else expect(end).toThrow(new CliError(reported, code));
});
