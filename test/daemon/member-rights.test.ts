import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Transport } from '../../src/members/api-server/transport.ts';
import { readSimulatedFleet } from '../../src/repo/read-simulated-fleet.ts';
import { allows, namedBy, type Rule, rightsOf } from '../support/rights.ts';
import { settles } from '../support/small-fleet.ts';
import { VirtualFleet } from '../support/virtual-fleet.ts';

const root = join(import.meta.dirname, '../..');
const example = join(root, 'fleet-repo-example');

let fleet: VirtualFleet;
afterEach(() => fleet.close());

it('the account of deploy/member has the rights that the example needs, and without nodes.yaml and preflight.yaml no more', async () => {
  const rules = await memberRules('rbac');
  const allowed = [...rules, ...(await memberRules('nodes')), ...(await memberRules('preflight'))];
  const needed = new Set(await grantedByExample());
  const refused: string[] = [];
  const guarded = (transport: Transport): Transport => {
    return (request) => {
      // Simulated clusters are upgraded by no API of Kubernetes.
      if (request.path.startsWith('/simulator/')) return transport(request);
      const rights = rightsOf(request);
      for (const right of rights) needed.add(right);
      if (rights.every((right) => allowed.some((rule) => allows(rule, right)))) return transport(request);
      // After a start without a record every kind is searched for our objects: one that may not be read has none.
      const asked = rights.length === 1 && rights[0]!.startsWith('list ') && request.path.includes('labelSelector=');
      if (!asked) refused.push(rights.join(', '));
      return Promise.resolve({ status: 403, headers: {}, body: text(forbidden) });
    };
  };
  const { fleet: simulated } = await readSimulatedFleet(join(example, 'simulated-fleet.yaml'));
  const { members, defaults } = simulated!.spec;
  const shipped = await exampleFiles();
  const config = shipped['fleet.yaml']!.replace('spec:', 'spec:\n  approvals: {handWritten: true}');
  const files = { ...shipped, 'fleet.yaml': config, 'approvals/staging.yaml': approval };
  fleet = await VirtualFleet.open(files, ...members.map((member) => ({ ...defaults, ...member })));
  const daemon = fleet.start({ through: guarded });
  await settles(fleet, daemon, 900);

  // An object is deleted, a new version is committed, and an object is removed.
  await fleet.ask('dev-1', 'DELETE', '/apis/apps/v1/namespaces/tools/deployments/debug');
  fleet.commit({
    'resources/shop/web.yaml': fleet.files['resources/shop/web.yaml']!.replaceAll('web:1.0.0', 'web:1.1.0'),
    'resources/monitoring/guard-rails.yaml': undefined,
    'placements/monitoring.yaml': withoutEnvelope(fleet.files['placements/monitoring.yaml']!),
    'fleet.yaml': fleet.files['fleet.yaml']!.replace('maxClusters: 3', 'maxClusters: 20'),
  });
  await settles(fleet, daemon, 900);
  expect(fleet.stored('dev-1', 'apps/deployments', 'tools', 'debug')).toBeDefined();
  expect(fleet.stored('dev-1', 'scheduling.k8s.io/priorityclasses', '', 'fleet-critical')).toBeUndefined();

  expect(refused).toEqual([]);
  // All placed kinds need the same rights, although not each was removed here.
  for (const alike of Map.groupBy(rules, ({ verbs }) => verbs.join()).values()) {
    const uses = [...needed].filter((right) => alike.some((rule) => allows(rule, right)));
    const used = uses.map((right) => right.split(' '));
    expect(sorted(used.map(([verb]) => verb!))).toEqual(sorted(alike[0]!.verbs));
    expect(sorted(used.map(([, on]) => on!))).toEqual(sorted(alike.flatMap(namedBy)));
  }
});

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

async function memberRules(file: string): Promise<readonly Rule[]> {
  const documents = parseAllDocuments(await readFile(join(root, `deploy/member/${file}.yaml`), 'utf8'));
  return documents
    .map((document) => document.toJS())
    .flatMap(({ kind, rules }) => (kind === 'ClusterRole' ? rules : []));
}

async function exampleFiles(): Promise<Record<string, string>> {
  const paths = (await readdir(example, { recursive: true })).filter((path) => path.endsWith('.yaml'));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(example, path), 'utf8')] as const)),
  );
}

/** To place a role, an account needs the rights that the role grants. */
async function grantedByExample(): Promise<readonly string[]> {
  const documents = Object.values(await exampleFiles()).flatMap((content) => parseAllDocuments(content));
  const roles = documents.map((document) => document.toJS()).filter(({ kind }) => /^(Cluster)?Role$/.test(kind));
  return roles.flatMap(({ rules }: { readonly rules: readonly Rule[] }) =>
    rules.flatMap((rule) => namedBy(rule).flatMap((on) => rule.verbs.map((verb) => `${verb} ${on}`))),
  );
}

const withoutEnvelope = (placement: string): string =>
  placement.replace(/ {4}- group: placement\.kubernetes-fleet\.io\n( {6}.*\n)+/, '');

const forbidden = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Status',
  status: 'Failure',
  reason: 'Forbidden',
  message: 'forbidden',
  code: 403,
});

async function* text(content: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(content);
}

const approval = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterApprovalRequest
metadata: {name: payments-1-after-staging}
spec: {parentStageRollout: payments-1, targetStage: staging}
status: {conditions: [{type: Approved, status: "True", reason: Approved}]}
`;
