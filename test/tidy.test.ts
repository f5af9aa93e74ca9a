import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');

/** Which folder of src/ may import which. Packages and node: modules are named as they are imported. */
const mayImport: Readonly<
  Record<string, { readonly folders: readonly string[]; readonly packages: readonly string[]; readonly node: boolean }>
> = {
  api: { folders: ['api'], packages: ['zod'], node: false },
  engine: { folders: ['api', 'engine'], packages: [], node: false },
  repo: { folders: ['api', 'engine', 'repo'], packages: ['yaml', 'zod', '@kubernetes/client-node'], node: true },
  forecast: { folders: ['api', 'engine', 'repo', 'forecast'], packages: [], node: false },
  report: { folders: ['api', 'engine', 'repo', 'forecast', 'report'], packages: [], node: false },
  git: { folders: ['api', 'git', 'repo'], packages: ['isomorphic-git', 'undici', 'chokidar'], node: true },
  forge: { folders: ['api', 'git', 'forge'], packages: ['undici'], node: true },
  members: { folders: ['api', 'engine', 'members'], packages: ['undici', '@kubernetes/client-node'], node: true },
  simulator: { folders: ['api', 'engine', 'members', 'simulator'], packages: ['yaml'], node: true },
  daemon: {
    folders: ['api', 'engine', 'repo', 'git', 'forge', 'members', 'simulator', 'forecast', 'report', 'daemon'],
    packages: ['pino', 'pino-pretty', 'chokidar', 'yaml'],
    node: true,
  },
  cli: {
    folders: ['api', 'engine', 'repo', 'git', 'forge', 'members', 'simulator', 'forecast', 'report', 'daemon', 'cli'],
    packages: ['commander', 'yaml'],
    node: true,
  },
};

/** Pure functions and defaults of src/api that the engine calls; everything else it takes from there is a type. */
const engineMayCall = [
  'member-cluster.ts',
  'placement.ts',
  'quantity.ts',
  'label-operators.ts',
  'property-operators.ts',
  'transitions.ts',
  'is-manifest.ts',
  'problem.ts',
  'longest-duration.ts',
  'syntax.ts',
  'override-selectors.ts',
  'selector-text.ts',
  'kubernetes-version.ts',
  'node-image.ts',
  'run-annotations.ts',
  'disruption-modes.ts',
  'pool-ranges.ts',
  'subnet-id.ts',
  'upgrade-settings.ts',
  'upgrade-providers.ts',
];

interface Import {
  readonly file: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

const files = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(src, join(entry.parentPath, entry.name)));

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8');
  const found: Import[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s)?([^;'"]*?from\s+)?'([^']+)'/gms)) {
    const names = match[2] ?? '';
    const onlyTypes =
      /^\{[^}]*\}/s.test(names) &&
      names
        .slice(names.indexOf('{') + 1, names.indexOf('}'))
        .split(',')
        .every((name) => name.trim() === '' || name.trim().startsWith('type '));
    found.push({ file, specifier: match[3]!, typeOnly: match[1] !== undefined || onlyTypes });
  }
  for (const match of text.matchAll(/\bimport\('([^']+)'\)/g))
    found.push({ file, specifier: match[1]!, typeOnly: false });
  return found;
}

const imports = files.flatMap(importsOf);

interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** Imports of one file of src/ by another. */
const inside = imports.flatMap(({ file, specifier }): Arrow[] => {
  const to = relative(src, resolve(src, dirname(file), specifier));
  return specifier.startsWith('.') && !to.startsWith('..') ? [{ from: file, to }] : [];
});

/** Groups that can all be reached from each other: their names in order, joined by spaces. */
function circlesOf(arrows: readonly Arrow[]): string[] {
  const next = Map.groupBy(arrows, ({ from }) => from);
  const reached = new Map<string, ReadonlySet<string>>();
  for (const start of next.keys()) {
    const seen = new Set<string>();
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const { to } of next.get(at) ?? [])
        if (!seen.has(to)) {
          seen.add(to);
          open.push(to);
        }
    reached.set(start, seen);
  }
  const circles = [...reached].flatMap(([name, seen]) =>
    seen.has(name)
      ? [
          [...seen]
            .filter((other) => reached.get(other)?.has(name))
            .sort()
            .join(' '),
        ]
      : [],
  );
  return [...new Set(circles)].sort();
}

const folderOf = (file: string): string => file.split('/')[0]!;

describe('the import table', () => {
  it('reads imports at all', () => {
    expect(imports.length).toBeGreaterThan(100);
  });

  it('holds for every file', () => {
    const broken = imports.flatMap(({ file, specifier }) => {
      const table = mayImport[folderOf(file)];
      if (!table) return file === 'main.ts' ? [] : [`${file}: a new folder needs a row in the table`];
      if (specifier.startsWith('node:')) return table.node ? [] : [`${file} imports ${specifier}`];
      if (!specifier.startsWith('.')) {
        const name = specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/');
        return table.packages.includes(name) ? [] : [`${file} imports the package ${specifier}`];
      }
      const target = relative(src, resolve(src, dirname(file), specifier));
      return target.startsWith('..') || table.folders.includes(folderOf(target)) ? [] : [`${file} imports ${target}`];
    });
    expect(broken).toEqual([]);
  });

  it('lets the engine take nothing but types and a few pure functions from the vocabulary', () => {
    const broken = imports
      .filter(({ file, specifier, typeOnly }) => folderOf(file) === 'engine' && /\/api\//.test(specifier) && !typeOnly)
      .filter(({ specifier }) => !engineMayCall.includes(specifier.split('/').at(-1)!))
      .map(({ file, specifier }) => `${file} calls ${specifier}`);
    expect(broken).toEqual([]);
  });
});

it('the guard takes nothing of the engine but the documents it compares and what kernel/ computes', () => {
  const shared = /^engine\/(guard|kernel)\/|^engine\/(input|plan-document|target-kinds)\.ts$/;
  const broken = inside.filter(
    ({ from, to }) => from.startsWith('engine/guard/') && to.startsWith('engine/') && !shared.test(to),
  );
  expect(broken).toEqual([]);
});

describe('circles of imports, of types too', () => {
  it('are between no files', () => {
    expect(circlesOf(inside)).toEqual([]);
  });

  /** The engine and every folder in it, with a slash at its end. */
  const foldersOf = (file: string): string[] => {
    const names = dirname(file).split('/');
    return names.map((_, at) => `${names.slice(0, at + 1).join('/')}/`);
  };
  const folders = [...new Set(files.filter((file) => file.startsWith('engine/')).flatMap(foldersOf))].sort();

  it.each(folders)('are between no parts of %s', (folder) => {
    // A folder with all that is in it, or a file that lies there by itself.
    const partOf = (file: string): string => file.slice(folder.length).split('/')[0]!;
    const within = inside.filter(({ from, to }) => from.startsWith(folder) && to.startsWith(folder));
    const parts = within.map(({ from, to }) => ({ from: partOf(from), to: partOf(to) }));
    expect(circlesOf(parts.filter(({ from, to }) => from !== to))).toEqual([]);
  });
});

describe('the engine is pure', () => {
  const forbidden = [
    /\bnew Date\b/,
    /\bDate\./,
    /Math\.random/,
    /\bprocess\./,
    /\basync\b/,
    /\bawait\b/,
    /\bconsole\./,
    /\bsetTimeout\b/,
    /\bfetch\(/,
  ];

  it.each(files.filter((file) => folderOf(file) === 'engine'))('%s', (file) => {
    const code = readFileSync(join(src, file), 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/\/\/.*$/gm, '')
      .replace(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''");
    expect(forbidden.filter((pattern) => pattern.test(code)).map(String)).toEqual([]);
  });
});

describe('functions', () => {
  const most = 100;
  const depthOf = (line: string): number => (line === '' ? Number.POSITIVE_INFINITY : line.search(/\S/));
  const closes = (line: string): boolean => /^\s*[)}\]]/.test(line);

  /** What begins at a line, by its indentation, up to its closing bracket; `head`: its lines without those inside brackets. */
  function blockAt(lines: readonly string[], from: number): { readonly head: string; readonly length: number } {
    const depth = depthOf(lines[from]!);
    let head = lines[from]!;
    for (let at = from + 1; at < lines.length; at++) {
      const line = lines[at]!;
      if (depthOf(line) > depth) continue;
      if (!closes(line)) return { head, length: at - from };
      head += line;
      if (!/(?:[{([]|=>)$/.test(line)) return { head, length: at + 1 - from };
    }
    return { head, length: lines.length - from };
  }

  /** `function`, an arrow, or a method. */
  const isFunction = (head: string): boolean =>
    /\bfunction\b|=>/.test(head) || /^\s*[\w#* ]+(?:<.*>)?\(.*\},?$/.test(head);

  const lengths = files
    // Tables of commands with their options.
    .filter((file) => !file.startsWith('cli/commands/'))
    .flatMap((file) => {
      const lines = readFileSync(join(src, file), 'utf8').split('\n');
      return lines.flatMap((line, at) => {
        if (line === '' || closes(line)) return [];
        const { head, length } = blockAt(lines, at);
        return isFunction(head) ? [{ name: `${file}:${at + 1}`, length }] : [];
      });
    });

  it('are found at all', () => {
    expect(lengths.filter(({ length }) => length > most / 2).length).toBeGreaterThan(10);
  });

  it(`have at most ${most} lines, from their first line to their closing bracket`, () => {
    expect(lengths.filter(({ length }) => length > most)).toEqual([]);
  });
});

describe('comments', () => {
  // Code is broken at biome's line width; biome leaves comments as they are.
  const most = 140;
  const sources = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );

  it(`have at most ${most} characters in a line`, () => {
    const long = sources.flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, at) => (line.length > most && /^\s*(?:\/\/|\/?\*)/.test(line) ? [`${file}:${at + 1}`] : [])),
    );
    expect(long).toEqual([]);
  });
});
