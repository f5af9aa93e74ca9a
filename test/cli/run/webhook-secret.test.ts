import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { webhookSecret } from '../../../src/cli/run/webhook-secret.ts';
import { folder, put, removeFolders } from '../../support/folders.ts';

const dir = folder();
put(dir, { full: ' from the file\n', empty: '\n' });
afterEach(() => vi.unstubAllEnvs());
afterAll(removeFolders);

describe('a secret is the variable, or what the file of the variable with _FILE holds', () => {
  it.each([
    ['neither', undefined, undefined, undefined, undefined],
    ['the variable', 'plain', undefined, 'plain', undefined],
    ['a variable that is empty', '', undefined, undefined, undefined],
    ['the file before the variable', 'plain', 'full', 'from the file', undefined],
    ['no file where its name is empty', 'plain', '', 'plain', undefined],
    ['a file that is missing, with a warning', 'plain', 'none', undefined, 'no such file or directory'],
    ['a file that is empty, with a warning', undefined, 'empty', undefined, 'the file is empty'],
    ['a directory, with a warning', undefined, '.', undefined, 'it is a directory'],
  ])('%s', async (_, plain, name, secret, why) => {
    const file = name && join(dir, name);
    vi.stubEnv('GITFLEET_WEBHOOK_SECRET', plain);
    vi.stubEnv('GITFLEET_WEBHOOK_SECRET_FILE', file);
    const warnings: string[] = [];
    expect(await webhookSecret((message) => warnings.push(message))).toBe(secret);
    expect(warnings).toEqual(
      why === undefined ? [] : [`GITFLEET_WEBHOOK_SECRET_FILE: ${file}: ${why}, so there is no secret`],
    );
  });
});
