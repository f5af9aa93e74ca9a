import { describe, expect, it } from 'vitest';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { treeOf } from '../support/paper-fleet.ts';

const password = 'hunter2hunter2';
/** One finding with a value (a plain scalar that two versions of YAML read differently), and one in a line of bad syntax. */
const faults = [
  ['well formed', `data:\n  password: ${password}\n  other: 012\n  again: "${password}"\n  again: ${password}\n`],
  ['malformed', `data:\n  password: [${password}\n`],
  ['wrongly quoted', `stringData:\n  password: ${password}: x\n`],
] as const;

const kinds = [
  'kind: Secret',
  'kind: "Secret"',
  'kind: &k Secret',
  'kind: !!str Secret',
  'kind: "\\x53ecret"',
  'kind: >-\n  Secret',
  'kind: |-\n  Secret',
  'kind: # the kind\n  Secret',
  '"\\x6bind": Secret',
  '? kind\n: Secret',
  '!!str kind: Secret',
  'kind Secret',
  'Kind: Secret',
  'kind: secret',
  'kind: Secert',
  'knid: Secret',
  '',
];

describe.each(faults)('a %s file', (_, body) => {
  it.each(kinds)('whose kind is written %j quotes nothing of a Secret', async (kind) => {
    const text = `apiVersion: v1\n${kind}\nmetadata: {name: db, namespace: web}\n${body}`;
    const fleet = await loadFleet(treeOf({ 'resources/db.yaml': text }));
    expect(fleet.problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(fleet.problems)).not.toContain(password);
    const record = readRecord(new Map([['placements/web/state.yaml', text]]));
    expect(JSON.stringify(record.problems)).not.toContain(password);
  });
});

it.each([
  ['n', 'n', 'programs read this value differently'],
  ['yes', 'yes', 'programs read this value differently'],
  ['0o17', '15', 'programs read this value differently'],
  ['012', '12', 'programs read this value differently'],
  ['90071992547409931', '9007199254740993', 'this value loses digits: numbers are exact up to 9007199254740991'],
  ['*hunter2', 'hunter2', 'this alias names no earlier anchor, or aliases make the document too large'],
  ['!hunter2 a', 'hunter2', 'this tag has a meaning for some programs only'],
])('a finding about the value %s of a Secret is a whole sentence without %s', async (value, hidden, message) => {
  const text = `apiVersion: v1\nkind: Secret\nmetadata: {name: db, namespace: web}\nstringData:\n  password: ${value}\n`;
  const { problems } = await loadFleet(treeOf({ 'resources/db.yaml': text }));
  const found = problems.find((problem) => problem.message === message);
  expect(problems.map((problem) => problem.message)).toContain(message);
  expect(found?.fix).toMatch(/in quotes.*may hold a Secret/);
  if (hidden !== 'n') expect(JSON.stringify(problems)).not.toContain(hidden);
});

it('other files are quoted as before', async () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: web}\ndata:\n  a: word\n  a: word\n';
  expect(JSON.stringify((await loadFleet(treeOf({ 'resources/a.yaml': text }))).problems)).toContain('word');
});
