import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Issue } from '../../../src/api/issue.ts';
import { fleetKindOf } from '../../../src/api/kinds.ts';
import { fleetObjects } from '../../../src/repo/fleet/fleet-objects.ts';

type Path = readonly (string | number)[];
type Fields = Record<string, unknown>;

const issuesOf = (value: object): Issue[] =>
  fleetObjects([{ value, file: 'f.yaml', line: 1, inside: [] }]).findings.map(({ issue }) => issue);

const at = (issues: readonly Issue[], path: Path): Issue[] =>
  issues.filter(({ severity, path: of }) => severity === 'error' && of.join('.') === path.join('.'));

function replaced(node: unknown, [part, ...rest]: Path, change: (parent: Fields, key: string) => void): unknown {
  const copy = structuredClone(node) as Fields;
  if (rest.length === 0) change(copy, String(part));
  else copy[part!] = replaced(copy[part!], rest, change);
  return copy;
}
const set = (document: object, path: Path, value: unknown): object =>
  replaced(document, path, (parent, key) => {
    parent[key] = value;
  }) as object;
/** A key by another name, in the same place. */
const renamed = (document: object, path: Path, name: string): object =>
  replaced(document, path, (parent, key) => {
    parent[name] = parent[key];
    delete parent[key];
  }) as object;

function scalars(node: unknown, path: Path = []): { readonly path: Path; readonly value: unknown }[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => scalars(item, [...path, index]));
  if (typeof node === 'object' && node !== null)
    return Object.entries(node).flatMap(([key, item]) => scalars(item, [...path, key]));
  return [{ path, value: node }];
}
const keys = (node: unknown, path: Path = []): Path[] =>
  Array.isArray(node)
    ? node.flatMap((item, index) => keys(item, [...path, index]))
    : typeof node === 'object' && node !== null
      ? Object.entries(node).flatMap(([key, item]) => [[...path, key], ...keys(item, [...path, key])])
      : [];

/** The documents with each fix applied; none for a fix without a value. */
function followed(
  document: object,
  { code, path, fix = '' }: Issue,
): { readonly as: string; readonly document: object }[] {
  const mean = /^did you mean (.+)\?$/.exec(fix)?.[1];
  if (mean !== undefined && code === 'unknown-field') return [{ as: mean, document: renamed(document, path, mean) }];
  if (code === 'unknown-field' && fix.startsWith('remove ')) return [];
  const added = /^add (\w+): (\S+)(?: or (\S+))?$/.exec(fix);
  if (added)
    return added
      .slice(2)
      .filter((value) => value !== undefined)
      .map((value) => ({ as: value, document: set(document, path, /^\d+$/.test(value) ? Number(value) : value) }));
  const quoted = /^write "([^"]*)"$/.exec(fix)?.[1];
  const one = quoted ?? mean ?? /^write ([^\s,:]+)$/.exec(fix)?.[1];
  const plain = /^write (\S+), without quotes$/.exec(fix)?.[1];
  if (plain !== undefined) return [{ as: plain, document: set(document, path, JSON.parse(plain)) }];
  const several = one === undefined ? /^write (?:for example )?([^\s:]+(?:, \S+)*) or (\S+)$/.exec(fix) : null;
  const values = one === undefined ? (several ? [...several[1]!.split(', '), several[2]!] : []) : [one];
  return values.map((value) => ({
    as: value,
    document: set(document, path, quoted === undefined && /^\d+$/.test(value) ? Number(value) : value),
  }));
}

const example = join(import.meta.dirname, '../../../fleet-repo-example');
const documents = (
  await Promise.all(
    (
      await readdir(example, { recursive: true })
    )
      .filter((file) => file.endsWith('.yaml') && !file.startsWith('resources'))
      .map(async (file) =>
        parseAllDocuments(await readFile(join(example, file), 'utf8')).map((one) => one.toJS() as Fields),
      ),
  )
)
  .flat()
  .filter((one) => typeof fleetKindOf(String(one['apiVersion']), String(one['kind'])) === 'object');

const more: Fields[] = [
  {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'FleetConfig',
    spec: {
      guard: { maxClusters: 5, maxLeaving: '10%' },
      freeze: [{ name: 'weekend', schedule: '0 18 * * 5', duration: '62h', timeZone: 'Europe/Berlin' }],
      forge: { kind: 'github', repository: 'a/b' },
    },
  },
  {
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterStagedUpdateStrategy',
    metadata: { name: 'careful' },
    spec: {
      stages: [
        {
          name: 'canary',
          labelSelector: { matchLabels: { env: 'canary' } },
          sortingLabelKey: 'order',
          maxConcurrency: '25%',
          beforeStageTasks: [{ type: 'Approval' }],
          afterStageTasks: [{ type: 'TimedWait', waitTime: '10m' }],
        },
      ],
    },
  },
  {
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterStagedUpdateRun',
    metadata: { name: 'web-1' },
    spec: { placementName: 'web', stagedRolloutStrategyName: 'careful', resourceSnapshotIndex: '1', state: 'Run' },
  },
  {
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterResourceOverride',
    metadata: { name: 'o' },
    spec: {
      placement: { name: 'web', scope: 'Cluster' },
      clusterResourceSelectors: [{ group: '', version: 'v1', kind: 'Namespace', name: 'web' }],
      policy: {
        overrideRules: [
          {
            overrideType: 'JSONPatch',
            clusterSelector: { clusterSelectorTerms: [{ labelSelector: { matchLabels: { env: 'prod' } } }] },
            jsonPatchOverrides: [{ op: 'add', path: '/metadata/labels/a', value: 'b' }],
          },
        ],
      },
    },
  },
  {
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterResourcePlacement',
    metadata: { name: 'web' },
    spec: {
      resourceSelectors: [
        { group: '', version: 'v1', kind: 'Namespace', name: 'web', selectionScope: 'NamespaceWithResources' },
      ],
      policy: {
        placementType: 'PickN',
        numberOfClusters: 2,
        tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' }],
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'region', whenUnsatisfiable: 'DoNotSchedule' }],
        affinity: {
          clusterAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              clusterSelectorTerms: [
                {
                  labelSelector: { matchExpressions: [{ key: 'env', operator: 'In', values: ['prod'] }] },
                  propertySelector: {
                    matchExpressions: [
                      { name: 'resources.kubernetes-fleet.io/available-cpu', operator: 'Ge', values: ['4'] },
                    ],
                  },
                },
              ],
            },
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 10,
                preference: {
                  propertySorter: { name: 'kubernetes-fleet.io/node-count', sortOrder: 'Descending' },
                },
              },
            ],
          },
        },
      },
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: '25%', maxSurge: 1, unavailablePeriodSeconds: 60 },
        applyStrategy: { type: 'ServerSideApply', serverSideApplyConfig: { force: true }, whenToApply: 'Always' },
      },
    },
  },
  {
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: 'ClusterResourcePlacementDisruptionBudget',
    metadata: { name: 'web' },
    spec: { minAvailable: 1 },
  },
  {
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: 'ClusterResourcePlacementEviction',
    metadata: { name: 'e' },
    spec: { placementName: 'web', clusterName: 'a' },
  },
];

/** One letter less, as in most mistakes. */
const misspelt = (text: string): string => text.slice(0, 1) + text.slice(2);

describe('the value of a fix is valid', () => {
  it.each(
    [...documents, ...more].map(
      (document) => [`${document['kind']} ${(document['metadata'] as Fields)?.['name'] ?? ''}`, document] as const,
    ),
  )('%s', (_, document) => {
    expect(issuesOf(document).filter(({ severity }) => severity === 'error')).toEqual([]);
    const wrong = [
      ...scalars(document).flatMap(({ path, value }) =>
        // What apiVersion and kind are decides who reads a document at all.
        (path.length === 1
          ? []
          : [10, 1.5, true, '', '10', '1.5', 'true', 'No Such', ...(typeof value === 'string' ? [misspelt(value)] : [])]
        ).map((other) => set(document, path, other)),
      ),
      ...keys(document).flatMap((path) => {
        const key = String(path.at(-1));
        if (key === 'apiVersion' || key === 'kind') return [];
        return typeof path.at(-1) === 'string' && key.length > 3 ? [renamed(document, path, misspelt(key))] : [];
      }),
    ];
    const refusedAgain = wrong.flatMap((mistaken) =>
      issuesOf(mistaken).flatMap((issue) =>
        followed(mistaken, issue).flatMap(({ as, document: mended }) =>
          at(issuesOf(mended), issue.path).map(
            ({ message }) => `${issue.path.join('.')}: ${issue.fix} → ${as}: ${message}`,
          ),
        ),
      ),
    );
    expect(refusedAgain).toEqual([]);
  });
});

it('a number instead of a duration is reported with an example of a duration', () => {
  const strategy = more.find(({ kind }) => kind === 'ClusterStagedUpdateStrategy')!;
  const path = ['spec', 'stages', 0, 'afterStageTasks', 0, 'waitTime'];
  const told = (value: unknown) => issuesOf(set(strategy, path, value)).map(({ message, fix }) => `${message}: ${fix}`);
  expect(told(10)).toEqual(['waitTime must be of type string: write 10s, 10m or 10h']);
  expect(told('10')).toEqual(['"10" is not a duration: write 10s, 10m or 10h']);
  expect(told('ten')).toEqual(['"ten" is not a duration: write for example 30s, 10m or 1h30m']);
});

it('without the rules a fix has no value', () => {
  const strategy = more.find(({ kind }) => kind === 'ClusterStagedUpdateStrategy')!;
  const path = ['spec', 'stages', 0, 'afterStageTasks', 0];
  const mistaken = set(set(strategy, [...path, 'waitTime'], 10), [...path, 'type'], 'Nap');
  expect(issuesOf(mistaken).flatMap(({ path: at, fix }) => (at.at(-1) === 'waitTime' ? [fix] : []))).toEqual([
    'write a string, in quotes if it looks like a number or a boolean',
  ]);
});

it('a value with wrong quotes is suggested without them', () => {
  const placement = more.find(({ kind }) => kind === 'ClusterResourcePlacement')!;
  const told = (path: (string | number)[], value: unknown) =>
    issuesOf(set(placement, path, value)).map(({ fix }) => fix);
  expect(told(['spec', 'policy', 'numberOfClusters'], '2')).toEqual(['write 2, without quotes']);
  expect(told(['spec', 'policy', 'numberOfClusters'], '-2')).toEqual(['write a number of at least 0']);
  expect(told(['spec', 'policy', 'numberOfClusters'], 'two')).toEqual(['write a number, without quotes']);
  expect(told(['spec', 'strategy', 'applyStrategy', 'serverSideApplyConfig', 'force'], 'true')).toEqual([
    'write true, without quotes',
  ]);
});
