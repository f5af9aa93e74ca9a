import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it.runIf(existsSync('/dev/full'))('a full disk is reported in one sentence, without a stack trace', async () => {
  const main = join(import.meta.dirname, '../../src/main.ts');
  const ran = await promisify(execFile)('sh', ['-c', `"${process.execPath}" "${main}" version > /dev/full`]).catch(
    (error: unknown) => error,
  );
  expect(ran).toMatchObject({
    code: 1,
    stderr: 'gitfleet: the output cannot be written: ENOSPC: no space left on device, write\n',
  });
});
