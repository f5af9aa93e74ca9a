import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCache } from '../../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { parseAll } from '../../../src/repo/fleet/parse-pool.ts';
import { parseYaml } from '../../../src/repo/yaml/parse-yaml.ts';
import { member, treeOf } from '../../support/paper-fleet.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gitfleet-cache-'));
});
afterEach(() => rm(dir, { recursive: true }));

const files = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`clusters/${name}.yaml`, member(name)]));

/** Loads like a restarted daemon; returns the members that it found and the number of parsed files. */
async function load(of: Readonly<Record<string, string>>): Promise<{ found: string[]; parsed: number }> {
  const tree = treeOf(of);
  let parsed = 0;
  const counted = {
    ...tree,
    read: (wanted: readonly string[]) => {
      parsed += wanted.length;
      return tree.read(wanted);
    },
  };
  const fleet = await loadFleet(counted, await loadCache(join(dir, 'parsed')));
  return { found: fleet.members.map(({ metadata }) => metadata.name).sort(), parsed };
}

const cacheFile = async (): Promise<string> => {
  const [name, ...others] = await readdir(join(dir, 'parsed'));
  expect(others).toEqual([]);
  return join(dir, 'parsed', name!);
};

describe('parsed files on disk', () => {
  it('are not parsed again after a restart; only what is new is', async () => {
    expect(await load(files('a', 'b'))).toEqual({ found: ['a', 'b'], parsed: 2 });
    expect(await load(files('a', 'b'))).toEqual({ found: ['a', 'b'], parsed: 0 });
    expect(await load(files('a', 'b', 'c'))).toEqual({ found: ['a', 'b', 'c'], parsed: 1 });
    expect(await load(files('a', 'b', 'c'))).toEqual({ found: ['a', 'b', 'c'], parsed: 0 });
  });

  it('have their sizes, so that only those of new contents are looked up', async () => {
    const asked: string[] = [];
    const loadAgain = async (...names: readonly string[]): Promise<void> => {
      const tree = treeOf(files(...names));
      const sizes = async (oids: readonly string[]) => {
        asked.push(...oids);
        return new Map([...(await tree.read(oids))].map(([oid, { length }]) => [oid, length]));
      };
      await loadFleet({ ...tree, sizes }, await loadCache(join(dir, 'parsed')));
    };
    await loadAgain('a', 'b');
    asked.length = 0;
    await loadAgain('a', 'b');
    expect(asked).toEqual([]);
    await loadAgain('a', 'b', 'c');
    expect(new Set(asked).size).toBe(1);
  });

  it('are readable by their owner only, since a fleet repo may contain Secrets', async () => {
    await load(files('a'));
    expect((await stat(join(dir, 'parsed'))).mode & 0o777).toBe(0o700);
    expect((await stat(await cacheFile())).mode & 0o777).toBe(0o600);
  });

  it.each<[string, (text: string) => string]>([
    ['a crash that cut off the last line', (text) => text.slice(0, -20)],
    ['a bit that fell over', (text) => text.replace('"name":"b"', '"name":"x"')],
    ['lines that are none of ours', (text) => `${text}\nnonsense\n{}\n`],
    ['an empty file', () => ''],
  ])('survive %s: what is damaged is parsed again', async (_, damage) => {
    await load(files('a', 'b'));
    await writeFile(await cacheFile(), damage(await readFile(await cacheFile(), 'utf8')));
    expect((await load(files('a', 'b'))).found).toEqual(['a', 'b']);
    expect(await load(files('a', 'b'))).toEqual({ found: ['a', 'b'], parsed: 0 });
  });

  it('of another version of the parser are not believed, and go when the file is rewritten', async () => {
    await load(files('a'));
    const file = await cacheFile();
    const older = file.replace(/parsed-v(\d+)/, (_, version) => `parsed-v${Number(version) - 1}`);
    await writeFile(older, await readFile(file));
    await rm(file);
    expect(await load(files('a'))).toEqual({ found: ['a'], parsed: 1 });
    for (let round = 0; round < 120; round++) await load({ ...files('a'), 'b.yaml': member(`b-${round}`) });
    await cacheFile();
  });

  it('do not grow for ever: unused entries are dropped', async () => {
    for (let round = 0; round < 250; round++) await load({ 'a.yaml': member(`a-${round}`) });
    expect((await readFile(await cacheFile(), 'utf8')).split('\n').length).toBeLessThan(150);
  });

  it('that cannot be written cost only time', async () => {
    await writeFile(join(dir, 'parsed'), 'a file where the folder should be');
    expect(await load(files('a'))).toEqual({ found: ['a'], parsed: 1 });
    expect(await load(files('a'))).toEqual({ found: ['a'], parsed: 1 });
  });
});

it('many files are parsed in threads, with the same result as in one', async () => {
  const many = Array.from({ length: 300 }, (_, at) => ({
    oid: `oid-${at}`,
    file: `f-${at}.yaml`,
    text:
      at % 10 === 0
        ? `a: yes\nb: [${at}`
        : `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c-${at}}\n# ${'long enough for threads '.repeat(100)}\n`,
  }));
  const parsed = await parseAll(many, 3);
  expect([...parsed].sort()).toEqual(many.map(({ oid, file, text }) => [oid, parseYaml(text, file)]).sort());
});

it('a failed write is reported once, and costs only time', async () => {
  await writeFile(join(dir, 'parsed'), 'a file where the folder would be');
  const told: unknown[] = [];
  const cache = await loadCache(join(dir, 'parsed'), (error) => told.push(error));
  for (const names of [['a'], ['a', 'b']] as const)
    expect((await loadFleet(treeOf(files(...names)), cache)).members).toHaveLength(names.length);
  expect(told).toEqual([expect.objectContaining({ code: expect.stringMatching(/^E(EXIST|NOTDIR)$/) })]);
});
