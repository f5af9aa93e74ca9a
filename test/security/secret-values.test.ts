import { describe, expect, it } from 'vitest';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { treeOf } from '../support/paper-fleet.ts';

const password = 'hunter2hunter2';
/** One finding with a value (a plain scalar that two versions of YAML read differently), and one in a line of bad syntax. */
const faults = [
  ['well formed', `data:\n  password: ${password}\n  other: 012\n  again: "${password}"\n  again: ${password}\n`],
  ['malformed', `data:\n  password: [${password}\n`],
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

it('other files are quoted as before', async () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: web}\ndata:\n  a: word\n  a: word\n';
  expect(JSON.stringify((await loadFleet(treeOf({ 'resources/a.yaml': text }))).problems)).toContain('word');
});
