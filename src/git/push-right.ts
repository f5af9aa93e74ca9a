import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { Address } from './address.ts';
import { GitError } from './git-error.ts';
import type { Credentials } from './http/credentials.ts';
import { locate } from './local/locate.ts';

/**
 * Resolves when the server opens its service for pushes, without pushing anything. Rules for single branches act only on a push. Errors:
 * GitError.
 */
export async function checkPushRight(address: Address, credentials: Credentials): Promise<void> {
  switch (address.kind) {
    case 'http': {
      const { gitHttp } = await import('./http/http.ts');
      const { advertisement } = await import('./http/smart-push.ts');
      const http = gitHttp(credentials);
      await advertisement(http, address.url).finally(() => http.close());
      return;
    }
    case 'native': {
      const { git } = await import('./native/run-git.ts');
      const asForPush = ['ls-remote', '--upload-pack=git-receive-pack', '--', address.url];
      const ran = await git(asForPush, { timeoutMs: 60_000 });
      if (ran.code !== 0) throw new GitError('unauthorized', `push to ${address.url}: ${ran.stderr}`);
      return;
    }
    case 'local': {
      const dir = (await locate(address.path))?.commonDir ?? address.path;
      await access(join(dir, 'refs'), constants.W_OK).catch((error: unknown) => {
        throw new GitError('unauthorized', `${dir} cannot be written`, error);
      });
    }
  }
}
