import { newObject } from '../../src/git/objects/new-objects.ts';
import type { KeptCommit } from '../../src/git/verify/kept-commit.ts';
import { type OpenSigning, statusSigning } from '../../src/git/verify/status-signing.ts';

/** What a daemon remembers between its starts. */
export function noMemory(): KeptCommit {
  let kept: string | undefined;
  return {
    get: () => kept,
    set: (commit) => {
      kept = commit;
    },
  };
}

/** Signatures that are only a name, for tests that run no programs. */
export function paperSigning({
  key = 'fleet',
  memory = noMemory(),
  accepted,
}: {
  readonly key?: string;
  readonly memory?: KeptCommit;
  readonly accepted?: string | undefined;
} = {}): OpenSigning {
  const header = `\ngpgsig ${key}\n\n`;
  return statusSigning({
    memory,
    accepted,
    signer: {
      sign: async ({ content }) => newObject('commit', Buffer.from(content.toString().replace('\n\n', header))),
      verify: async (objects, commit) =>
        (await objects.read([commit])).get(commit)!.content.includes(header)
          ? { isVerified: true, by: key }
          : { isVerified: false, why: 'it is not signed' },
    },
  });
}
