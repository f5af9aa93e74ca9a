import { afterAll, expect, it } from 'vitest';
import { pureSizes } from '../../../src/git/objects/object-sizes.ts';
import { objectsFrom } from '../../../src/git/objects/open-objects.ts';
import { pureRead } from '../../../src/git/objects/read-objects.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { commit, gitThere, sh } from '../../support/git-repository.ts';

afterAll(removeFolders);

it.skipIf(!gitThere)('a listing leaves no folder out that another one forgets meanwhile', async () => {
  const dir = folder();
  sh('.', 'init', '-q', dir);
  const whole = commit(dir, { 'a/x.yaml': '1', 'b/deep/y.yaml': 'y' });
  const changed = commit(dir, { 'a/x.yaml': '2' });
  const slowFolder = sh(dir, 'rev-parse', `${changed}:a`);
  sh(dir, 'rm', '-qr', 'b');
  const less = commit(dir, { 'a/x.yaml': '3' });
  const read = pureRead(`${dir}/.git`);
  const asked = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const store = {
    async read(oids: readonly string[]) {
      if (oids.includes(slowFolder)) {
        asked.resolve();
        await told.promise;
      }
      return read(oids);
    },
    sizes: pureSizes(`${dir}/.git`),
  };
  const objects = objectsFrom(store, { log: async () => [], isAncestor: async () => false });
  const listed = async (id: string) => (await (await objects.files(id)).files()).map(({ path }) => path);
  await listed(whole);
  const slow = listed(changed);
  await asked.promise;
  expect(await listed(less)).toEqual(['a/x.yaml']);
  told.resolve();
  expect(await slow).toEqual(['a/x.yaml', 'b/deep/y.yaml']);
});
