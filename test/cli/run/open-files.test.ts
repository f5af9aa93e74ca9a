import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tooFewFiles } from '../../../src/cli/run/open-files.ts';

it.each<[members: number, allowed: number | undefined, enough: boolean]>([
  [1_000, 2_500, true],
  [1_000, 2_499, false],
  [6, 1_024, true],
  [6, 256, false],
  [100_000, undefined, true],
])('%i members may be followed with %s open files: %s', (members, allowed, enough) => {
  expect(tooFewFiles(members, allowed) === undefined).toBe(enough);
});

it('reports how many files are needed and which limit to raise', () => {
  expect(tooFewFiles(1_000, 1_024)).toBe(
    'this process may have 1024 files open and 1000 members need about 2500: some will not be reached; raise the limit (ulimit -Hn, LimitNOFILE= of systemd)',
  );
});

it('the limit of the process is what it was started with', () => {
  const module = JSON.stringify(join(import.meta.dirname, '../../../src/cli/run/open-files.ts'));
  const script = `console.log((await import(${module})).allowedFiles())`;
  const started = ['-c', 'ulimit -n 700; exec "$0" --input-type=module -e "$1"', process.execPath, script];
  expect(execFileSync('sh', started, { encoding: 'utf8' }).trim()).toBe('700');
});
