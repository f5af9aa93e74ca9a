import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { fleetConfig, priceList } from '../src/api/gitfleet.ts';
import { instanceCatalog } from '../src/api/nodes/instance-catalog.ts';
import { nodeDisruption } from '../src/api/nodes/node-disruption.ts';
import { blockReasons, nodeCommand, nodePlan } from '../src/api/nodes/node-plan.ts';
import { program } from '../src/cli/program.ts';
import { loadFleet } from '../src/repo/fleet/load-fleet.ts';
import { unpricedTypes } from '../src/repo/fleet/nodes/unpriced-types.ts';
import { nodeMember } from './support/node-world.ts';
import { treeOf } from './support/paper-fleet.ts';

const root = resolve(import.meta.dirname, '..');
const pages = ['.', 'docs', 'fleet-repo-example', 'deploy'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');
const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

/** The anchors that a forge gives the headings of a page. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );

describe.each(pages)('%s', (page) => {
  it('links to files and headings that are there', () => {
    const links = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    const broken = links
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path, anchor] = target.split('#');
        const file = path === '' ? join(root, page) : resolve(root, dirname(page), path!);
        if (!existsSync(file)) return true;
        return anchor !== undefined && !(statSync(file).isFile() && anchorsOf(relative(root, file)).includes(anchor));
      });
    expect(broken).toEqual([]);
  });

  it('names files of src/ and test/ that are there', () => {
    const named = [...textOf(page).matchAll(/`((?:src|test)\/[\w./-]+\.ts)`/g)].map(([, path]) => path!);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names commands and flags that gitfleet has', () => {
    expect(commandLinesOf(page).flatMap(unknownWords)).toEqual([]);
  });
});

it('the files of docs/upgrading-clusters.md are a fleet without a problem, also with the fields of its verbs', async () => {
  const blocks = [...textOf('docs/upgrading-clusters.md').matchAll(/^```yaml\n# (in )?(\S+)\n([\s\S]*?)^```/gm)];
  const files = new Map(blocks.flatMap(([, part, path, text]) => (part ? [] : [[path!, text!] as const])));
  const [, , path, verbs] = blocks.find(([, part]) => part)!;
  const problemsOf = async (all: ReadonlyMap<string, string>) => {
    // Its other groups need clusters too.
    const others = ['dev', 'america'].map((group): [string, string] => [
      `clusters/${group}.yaml`,
      files
        .get('clusters/eu-1.yaml')!
        .replace('name: eu-1', `name: ${group}-1`)
        .replace('group: europe', `group: ${group}`),
    ]);
    return (await loadFleet(treeOf(Object.fromEntries([...all, ...others])))).problems;
  };
  expect(files.size).toBe(6);
  expect(await problemsOf(files)).toEqual([]);
  const changed = files.get(path!)!.replace('spec:\n', verbs!.replace('eu-2', 'eu-1'));
  expect(await problemsOf(new Map([...files, [path!, changed]]))).toEqual([]);
});

it('the FleetConfig of docs/nodes.md has every field of nodeDisruption, and no problem', async () => {
  const [, config] = textOf('docs/nodes.md').match(/^```yaml\n# fleet.yaml\n([\s\S]*?)^```/m)!;
  const clusters = ['dev', 'prod'].map((environment): [string, string] => [
    `clusters/${environment}.yaml`,
    nodeMember(environment, 'execute', { environment }, { 'gitfleet.dev/upgrade-provider': 'simulated' }),
  ]);
  const { config: written, problems } = await loadFleet(
    treeOf({ ...Object.fromEntries(clusters), 'fleet.yaml': config! }),
  );
  expect(problems).toEqual([]);
  const { budgets, featureGates } = nodeDisruption.shape;
  const of = written?.spec.nodeDisruption;
  expect(Object.keys(of ?? {})).toEqual(Object.keys(nodeDisruption.shape));
  expect([...new Set(of?.budgets?.flatMap((budget) => Object.keys(budget)))]).toEqual(
    Object.keys(budgets.unwrap().element.shape),
  );
  expect(Object.keys(of?.featureGates ?? {})).toEqual(Object.keys(featureGates.unwrap().shape));
});

it('the InstanceCatalog and the PriceList of docs/nodes.md have every field, and no problem', async () => {
  const [, text] = textOf('docs/nodes.md').match(/^```yaml\n# instances.yaml\n([\s\S]*?)^```/m)!;
  const fleet = await loadFleet(
    treeOf({ 'eu-1.yaml': nodeMember('eu-1', 'plan', { region: 'westeurope' }), 'instances.yaml': text! }),
  );
  expect([...fleet.problems, ...unpricedTypes(fleet)]).toEqual([]);
  const read = parseAllDocuments(text!).map((document) => document.toJS());
  expect(read.map(({ kind }) => kind)).toEqual(['InstanceCatalog', 'PriceList']);
  const [catalog, prices] = read.map(({ spec }) => spec);
  const ofType = instanceCatalog.shape.spec.shape.instanceTypes.element.shape;
  const fieldsOf = (all: readonly object[]) => [...new Set(all.flatMap((one) => Object.keys(one)))].sort();
  expect(fieldsOf([catalog])).toEqual(fieldsOf([instanceCatalog.shape.spec.shape]));
  expect(fieldsOf(catalog.instanceTypes)).toEqual(fieldsOf([ofType]));
  expect(fieldsOf(catalog.instanceTypes[0].offerings)).toEqual(fieldsOf([ofType.offerings.element.shape]));
  expect(fieldsOf([prices])).toEqual(fieldsOf([priceList.shape.spec.shape]));
  expect(fieldsOf(prices.prices)).toEqual(fieldsOf([priceList.shape.spec.shape.prices.element.shape]));
});

it('docs/status-branch.md names every field of nodes/<cluster>.yaml, and every reason that blocks a node', () => {
  const section = textOf('docs/status-branch.md').match(/^### Nodes of the plan\n([\s\S]*?)^### /m)![1]!;
  const { pools, commands, blocked, claims, failures, ...top } = nodePlan.shape;
  const { nodes, replacements, pods, ...command } = nodeCommand.shape;
  const entries = [pools, commands, blocked, claims, failures].map((list) => list.unwrap().element.shape);
  const shapes = [
    ...entries,
    top,
    command,
    nodes.element.shape,
    replacements.element.shape,
    pods.unwrap().element.shape,
  ];
  const words = [...shapes.flatMap((shape) => Object.keys(shape)), ...blockReasons];
  const of = new Set(section.match(/\w+/g));
  expect(words.filter((word) => word !== 'apiVersion' && !of.has(word))).toEqual([]);
});

it('every setting of a FleetConfig is told', () => {
  const { guard, ...others } = fleetConfig.shape.spec.unwrap().shape;
  const fields = [...Object.keys(guard.unwrap().shape).map((name) => `guard.${name}`), ...Object.keys(others)];
  const reported = textOf('docs/operations.md');
  expect(fields.filter((field) => !reported.includes(`| \`${field}`))).toEqual([]);
});

it('the README names commands at all', () => {
  expect(commandLinesOf('README.md').length).toBeGreaterThan(10);
});

const commands = new Map(program().commands.map((command) => [command.name(), command]));

/** Everything in code, in a line or in a block, that calls gitfleet. */
function commandLinesOf(page: string): string[] {
  const text = textOf(page);
  const blocks = [...text.matchAll(/^```[a-z]*\n([\s\S]*?)^```/gm)].flatMap(([, block]) => block!.split('\n'));
  const spans = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`]+)`/g)].map(([, span]) => span!);
  return [...blocks, ...spans]
    .flatMap((line) => line.replace(/ {2,}#.*$/, '').split(/&&|\||;/))
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => /^(kubectl )?gitfleet [a-z]|^npm run -s gitfleet -- /.test(line));
}

function unknownWords(line: string): string[] {
  const [name, ...words] = line.replace(/^.*?gitfleet (-- )?/, '').split(' ');
  const command = commands.get(name!);
  if (command === undefined) return [`${line}: there is no command ${name}`];
  const known = command.options.flatMap(({ short, long }) => [short, long]);
  return words
    .map((word) => word.replace(/^\[/, '').replace(/\]$/, '').split('=')[0]!)
    .filter((word) => /^--?[a-z]/.test(word) && !known.includes(word))
    .map((word) => `${line}: ${name} has no ${word}`);
}
