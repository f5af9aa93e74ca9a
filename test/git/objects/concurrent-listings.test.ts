import { afterAll, describe, expect, it } from 'vitest';
import { mergeTrees } from '../../../src/git/merge-trees.ts';
import { openObjects } from '../../../src/git/objects/open-objects.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { commit, gitThere, sh } from '../../support/git-repository.ts';

afterAll(removeFolders);

describe.skipIf(!gitThere)('listings of several commits at the same time', () => {
  const dir = folder();
  const files = (of: string) => ({ [`a/${of}.yaml`]: of, 'b/deep/x.yaml': 'x', 'c/y.yaml': 'y' });
  const made = gitThere ? (sh('.', 'init', '-q', dir), ['1', '2', '3'].map((of) => commit(dir, files(of)))) : [];

  it.each([true, false])('leave no folder out, by git itself: %s', async (native) => {
    const objects = openObjects(`${dir}/.git`, native);
    const counts = async (of: readonly string[]) =>
      Promise.all(of.map(async (id) => (await (await objects.files(id)).files()).length));
    const [first, second, third] = made as [string, string, string];
    for (const known of made) {
      await objects.files(known);
      expect(await counts([first, second, third])).toEqual([3, 4, 5]);
      await objects.files(known);
      expect((await mergeTrees(objects, { ours: first, theirs: third })).conflicts).toEqual([]);
    }
  });
});
