import { describe, expect, it } from 'vitest';
import { ignoredBy } from '../../../src/repo/fleet/ignored-files.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { member, treeOf } from '../../support/paper-fleet.ts';

it.each<[string, string, readonly string[], readonly string[]]>([
  ['a name, at any depth', 'vendor', ['vendor/a.yaml', 'apps/vendor/b.yaml', 'vendor'], ['vendored/a.yaml']],
  ['a folder only', 'build/', ['build/a.yaml', 'x/build/a.yaml'], ['build', 'x/build']],
  ['from the root', '/apps', ['apps/a.yaml'], ['x/apps/a.yaml']],
  ['a path is from the root', 'apps/old', ['apps/old/a.yaml'], ['x/apps/old/a.yaml']],
  ['letters', '*.test.yaml', ['a.test.yaml', 'x/a.test.yaml'], ['a.yaml']],
  ['one letter', 'a?.yaml', ['ab.yaml'], ['a.yaml', 'abc.yaml']],
  ['no slash by a star', 'apps/*/old.yaml', ['apps/a/old.yaml'], ['apps/a/b/old.yaml', 'apps/old.yaml']],
  ['folders between', 'apps/**/old.yaml', ['apps/a/b/old.yaml', 'apps/old.yaml'], ['old.yaml']],
  ['all but some', '/*\n!/fleet/', ['README.md', 'apps/a.yaml'], ['fleet/a.yaml', 'fleet/x/a.yaml']],
  ['the last line wins', '!a.yaml\na.yaml', ['a.yaml'], []],
  ['comments and empty lines', '# a.yaml\n\n  \n/', [], ['a.yaml', '# a.yaml']],
  ['line ends of Windows', 'old\r\n', ['old/a.yaml'], []],
])('%s: %j', (_what, text, ignored, read) => {
  const isIgnored = ignoredBy(text);
  expect([ignored.filter((path) => !isIgnored(path)), read.filter(isIgnored)]).toEqual([[], []]);
});

it('a hostile pattern takes no longer than its length', () => {
  const [stars, folders] = ['*a'.repeat(2_000), '**/a/'.repeat(2_000)];
  expect(ignoredBy(`${stars}b\n${folders}b`)(`${'a'.repeat(2_000)}/${'a/'.repeat(500)}c`)).toBe(false);
});

describe('a fleet repo with .gitfleetignore', () => {
  const files = {
    'clusters/eu-1.yaml': member('eu-1'),
    'apps/clusters/us-1.yaml': member('us-1'),
    'apps/broken.yaml': 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: [',
  };
  const load = async (ignore: Record<string, string>) => {
    const { members, unreadable, problems } = await loadFleet(treeOf({ ...files, ...ignore }));
    return {
      members: members.map(({ metadata }) => metadata.name),
      unreadable,
      codes: problems.map(({ code }) => code),
    };
  };

  it('is without the files that it names, and their problems', async () => {
    expect((await load({})).members).toEqual(['eu-1', 'us-1']);
    expect(await load({ '.gitfleetignore': 'apps/\n' })).toEqual({ members: ['eu-1'], unreadable: [], codes: [] });
  });

  it('reads it at the root only', async () => {
    expect((await load({ 'apps/.gitfleetignore': '*\n' })).members).toEqual(['eu-1', 'us-1']);
  });

  it('reports one that is too large, and reads all files', async () => {
    const { members, codes } = await load({ '.gitfleetignore': `apps/\n${'#'.repeat(5_000)}\n` });
    expect([members, codes.includes('file-too-large')]).toEqual([['eu-1', 'us-1'], true]);
  });
});
