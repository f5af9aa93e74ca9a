import { stringify } from 'yaml';
import { forgedCommand } from '../daemon/nodes/node-fleet.ts';
import type { Files } from './attacked-fleet.ts';
import {
  type Attack,
  attackBy,
  changed,
  generalSteps,
  type Known,
  pathsOf,
  pick,
  type StepOf,
} from './record-attacks.ts';
import type { Anything } from './record-edits.ts';

/** Edits of what the status branch has of cluster upgrades, their profiles, and nodes. */
const domains = /^(upgrades|profiles|nodes)\//;
const upgrades = /^upgrades\//;
const nodes = /^nodes\//;
const then = '2026-11-20T10:05:00Z';

/** Where a value stands: its parent, and its key there. */
type Place = readonly [parent: Anything, key: string];

function placesIn(value: Anything, isWanted: (value: Anything) => boolean): Place[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, child]) => [
    ...(isWanted(child) ? [[value, key] as const] : []),
    ...placesIn(child, isWanted),
  ]);
}

const isLeaf = (value: unknown): boolean => value === null || typeof value !== 'object';

const values: readonly unknown[] = [
  ...['Completed', 'Running', 'Skipped', 'NotStarted', 'Stopped', 'Failed'],
  ...['Proposed', 'Validating', 'Launching', 'Removing', 'Expiration', 'Emptiness', 'Drifted'],
  ...['1.30.9', '1.31.5', 'v1.31.5', '1.99.0', 'prod', 'test', 'prod-1', 'test-1', 'used-0', 'idle-0', 'd8-0'],
  ...['2026-11-19T10:00:00Z', '9999-01-01T00:00:00Z', '1h', 'sha256:forged', '', 'a/../b', 0, 1, -1, 1e9, true, null],
];

const membersIn = (run: Anything): Anything[] =>
  run.status.stages.flatMap(({ groups }: Anything) => groups.flatMap(({ members }: Anything) => members));

const steps = {
  ...generalSteps,
  leaf(files, { a, b }) {
    changed(files, pick(pathsOf(files, domains), b), (object) => {
      const [parent, key] = pick(placesIn(object, isLeaf), a)!;
      parent[key] = pick(values, a + b);
    });
  },
  copiedLeaf(files, { a, b }) {
    changed(files, pick(pathsOf(files, domains), a + b), (object) => {
      const places = placesIn(object, isLeaf);
      const [[to, key], [from, other]] = [pick(places, a)!, pick(places, b)!];
      to[key] = from[other];
    });
  },
  list(files, { a, b }) {
    changed(files, pick(pathsOf(files, domains), b), (object) => {
      const lists = placesIn(object, Array.isArray);
      const [parent, key] = pick(lists, a)!;
      const [from, other] = pick(lists, b)!;
      const list: Anything[] = parent[key];
      parent[key] = pick([[], list.toReversed(), [...list, ...list], [...list, ...from[other]], list.slice(1)], a + b);
    });
  },
  withoutField(files, { a, b }) {
    changed(files, pick(pathsOf(files, domains), b), (object) => {
      const [parent, key] = pick(
        placesIn(object, () => true),
        a,
      )!;
      delete parent[key];
    });
  },
  passGates(files, { a, b }, { commits }) {
    changed(files, pick(pathsOf(files, upgrades), a), (run) => {
      for (const stage of run.status.stages)
        for (const scope of [stage, ...stage.groups])
          for (const gate of [...scope.beforeGates, ...scope.afterGates])
            gate.status = pick<object>([{ state: 'Completed', completedTime: then }, { state: 'Skipped' }], b);
      if (a % 2 === 0)
        run.metadata.annotations = {
          ...run.metadata.annotations,
          'gitfleet.dev/approved-in': `k8s-before-prod=${pick(commits, b)}`,
        };
    });
  },
  startMembers(files, { a, b }) {
    changed(files, pick(pathsOf(files, upgrades), a), (run) => {
      for (const member of membersIn(run))
        Object.assign(member, {
          status: pick<object>([{ state: 'Running', startTime: then }, { state: 'Completed' }], b),
          operationId: `k8s.${member.name}.20261120T100500Z`,
          type: 'Full',
          to: { controlPlane: pick(['v1.31.5', 'v1.32.1'], a) },
        });
    });
  },
  moveMembers(files, { a }) {
    changed(files, pick(pathsOf(files, upgrades), a), ({ status: { stages } }) => {
      const [first, second] = stages;
      first.groups[0].members.push(...second.groups[0].members);
      second.groups[0].members = [];
    });
  },
  addRun(files, { a }) {
    const path = pick(pathsOf(files, upgrades), a);
    if (path) files['upgrades/other.yaml'] = files[path]!.replaceAll('k8s', 'other');
  },
  command(files, { a, b }) {
    changed(files, pick(pathsOf(files, nodes), a), (plan) => {
      const method = pick(['Expiration', 'Emptiness', 'Drift', 'SingleNodeConsolidation'], b)!;
      const phase = pick(['Validating', 'Launching', 'Removing', 'Proposed'], a)!;
      const names = pick([['idle-0'], ['used-0', 'idle-1'], ['d8-0', 'd8-1']], a + b)!;
      plan.commands = [...(plan.commands ?? []), forgedCommand('2026-11-19T10:00:00Z', names, { method, phase })];
    });
  },
  otherCluster(files, { a }) {
    const path = pick(pathsOf(files, nodes), a);
    if (path) files['nodes/prod-1.yaml'] = files[path]!.replaceAll('eu-1', 'prod-1');
  },
  claims(files, { a, b }) {
    changed(files, pick(pathsOf(files, nodes), a), (plan) => {
      for (const claim of plan.claims)
        Object.assign(
          claim,
          pick<object>([{ expireAfter: '1s', terminationGracePeriod: '1s' }, { template: 'sha256:forged' }], b),
        );
    });
  },
  profile(files, { a, b }) {
    const version = pick(['1.31.5', '1.30.9', '1.99.0'], a);
    changed(files, 'profiles/auto.yaml', (profile) => {
      profile.status = pick<object>([{ seen: version }, { seen: version, proposed: version }], b);
    });
  },
  proposal(files, { a }) {
    files['upgrades/auto-1-31-5.yaml'] = stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'UpdateRun',
      metadata: { name: 'auto-1-31-5' },
      spec: { managedClusterUpdate: { upgrade: { type: 'Full', kubernetesVersion: pick(['1.31.5', '1.32.1'], a) } } },
    });
  },
} as const satisfies Record<string, Attack>;

export const domainSteps: Readonly<Record<keyof typeof steps, Attack>> = steps;

export const attackDomains = (files: Files, at: StepOf<keyof typeof steps>, known: Known): void =>
  attackBy(domainSteps, files, at, known);
