import { expect, it } from 'vitest';
import { openForge } from '../../src/forge/open-forge.ts';

const refusals = {
  merge: 'Merge commits are not allowed on this repository.',
  squash: 'Squash merges are not allowed on this repository.',
};

/** GitHub as a person sees it who may not change settings: nothing says which methods are allowed. */
async function mergedBy(allowed: string, refusal?: string): Promise<{ asked: string[]; why: string | undefined }> {
  const asked: string[] = [];
  const answer = (status: number, body: object) => ({
    status,
    headers: new Headers(),
    body: (async function* () {
      yield Buffer.from(JSON.stringify(body));
    })(),
  });
  const { forge } = openForge({
    named: undefined,
    repo: 'https://github.com/acme/fleet',
    env: { GITFLEET_FORGE_TOKEN: 'token' },
    now: Date.now,
    async fetch(_, { method, body }) {
      if (method === 'GET') return answer(200, { id: 1, name: 'fleet' });
      const { merge_method: way } = JSON.parse(body!) as { merge_method: keyof typeof refusals };
      asked.push(way);
      return way === allowed
        ? answer(200, { merged: true, sha: 'x', message: '' })
        : answer(405, { message: refusal ?? refusals[way] });
    },
  });
  return { why: await forge!.merge(12, { commit: 'abc', title: 'Approve web' }), asked };
}

it.each([
  ['merge', ['merge']],
  ['squash', ['merge', 'squash']],
  ['rebase', ['merge', 'squash', 'rebase']],
])('merges at GitHub by the method that the repository allows: %s', async (allowed, asked) => {
  expect(await mergedBy(allowed)).toEqual({ why: undefined, asked });
});

it('tries no other method where something else blocks the merge', async () => {
  const why = 'At least 1 approving review is required.';
  expect(await mergedBy('none', why)).toEqual({ why: expect.stringContaining(why), asked: ['merge'] });
});
