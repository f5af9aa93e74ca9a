import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../../src/api/meta.ts';
import { workOn } from '../../../src/cli/onboard/work-on.ts';
import { readPlanInput } from '../../../src/cli/plan/input.ts';
import { planFleet } from '../../../src/engine/plan.ts';
import { guessedPlural, type PolicyRule, rightsFor, rulesOf } from '../../../src/members/rights.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { claim, node, nodeMember, nodePool, observedNodes } from '../../support/node-world.ts';
import { now, seen } from '../../support/plan-command.ts';
import { cli } from '../../support/run-cli.ts';

afterAll(removeFolders);

const root = join(import.meta.dirname, '../../..');
const roleIn = (items: readonly Manifest[]): readonly PolicyRule[] =>
  items.find(({ kind }) => kind === 'ClusterRole')!['rules'] as readonly PolicyRule[];

const clusters = ['dev-1', 'gpu-1', 'prod-asia-1', 'prod-eu-1', 'prod-eu-2', 'prod-us-1', 'staging-1', 'staging-2'];
/** Rules of all roles of a file that is shipped. */
const rolesOf = (file: string): PolicyRule[] =>
  parseAllDocuments(readFileSync(join(root, 'deploy/member', file), 'utf8'))
    .map((document) => document.toJS() as Manifest)
    .flatMap(({ kind, rules }) => (kind === 'ClusterRole' ? (rules as PolicyRule[]) : []));

const expanded = (rules: readonly PolicyRule[]): string[] => {
  const texts = rules.flatMap(
    ({ verbs, apiGroups = [], resources = [], resourceNames = [''], nonResourceURLs = [] }) => [
      ...nonResourceURLs.map((url) => `${verbs} ${url}`),
      ...verbs.flatMap((verb) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) => resourceNames.map((name) => `${verb} ${group}/${resource} ${name}`.trim())),
        ),
      ),
    ],
  );
  return [...new Set(texts)].sort();
};

it('the accounts of all clusters of the example have together the rights of deploy/member', async () => {
  const example = join(root, 'fleet-repo-example');
  const rules: PolicyRule[] = [];
  // The shop goes where enough processors are available.
  const observed = folder(
    Object.fromEntries(
      clusters.map((name) => [
        `${name}.yaml`,
        seen(name, {
          usage: { capacity: { cpu: '16' }, allocatable: { cpu: '16' }, available: { cpu: '16' } },
          properties: { 'kubernetes.azure.com/per-cpu-core-cost': '0.1' },
        }),
      ]),
    ),
  );
  for (const cluster of clusters) {
    const ran = await cli(
      'rbac',
      '--repo',
      example,
      '--observed',
      observed,
      '--now',
      now,
      '--cluster',
      cluster,
      '-o',
      'json',
    );
    expect(ran.code).toBe(0);
    rules.push(...roleIn(JSON.parse(ran.out).items));
  }
  expect(expanded(rules)).toEqual(
    expanded([...rolesOf('rbac.yaml'), ...rolesOf('nodes.yaml'), ...rolesOf('preflight.yaml')]),
  );
});

const files = (resource: string, more = '', selectors = '') => ({
  'clusters/eu-1.yaml': `apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: eu-1${more}}\n`,
  'clusters/us-1.yaml': 'apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: us-1}\n',
  'placements/web.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourcePlacement
metadata: {name: web}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}${selectors && `, ${selectors}`}]
  policy: {placementType: PickFixed, clusterNames: [eu-1]}
`,
  'resources/web.yaml': `apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n---\n${resource}`,
});

async function account(of: {
  resource?: string;
  selectors?: string;
  annotations?: string;
  cluster?: string;
}): Promise<string[]> {
  const more = of.annotations && `, annotations: {${of.annotations}}`;
  const dir = folder(files(of.resource ?? '', more, of.selectors));
  const ran = await cli('rbac', '--repo', dir, '--cluster', of.cluster ?? 'eu-1', '-o', 'json');
  expect(ran.code).toBe(0);
  const items: Manifest[] = JSON.parse(ran.out).items;
  return items.flatMap(({ kind, metadata, rules }) =>
    ((rules ?? []) as PolicyRule[]).map(({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }) =>
      `${kind}${metadata.namespace ? ` in ${metadata.namespace}` : ''}: ${verbs} of ${apiGroups ?? ''} ${resources ?? nonResourceURLs} ${resourceNames ?? ''}`.trim(),
    ),
  );
}

const all = 'get,list,watch,create,patch,delete';
const urls = 'ClusterRole: get of  /readyz,/version,/api/*,/apis,/apis/*';
const observed = 'ClusterRole: list of  nodes,pods';
const rbacSelectors = ['ClusterRole', 'ClusterRoleBinding']
  .map((kind) => `{group: rbac.authorization.k8s.io, version: v1, kind: ${kind}}`)
  .join(', ');

it.each([
  ['may only be observed', '', observed],
  [
    'may be watched too where a placement chooses by properties',
    `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourcePlacement
metadata: {name: by-size}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]
  policy:
    placementType: PickN
    numberOfClusters: 1
    affinity:
      clusterAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          clusterSelectorTerms:
          - propertySelector: {matchExpressions: [{name: kubernetes-fleet.io/node-count, operator: Gt, values: ["100"]}]}
`,
    'ClusterRole: list,watch of  nodes,pods',
  ],
])('a cluster on which nothing is placed %s', async (_, resource, watched) => {
  expect(await account({ cluster: 'us-1', resource })).toEqual([
    urls,
    watched,
    'ClusterRole: get of  namespaces kube-system',
  ]);
});

it.each<[string, Parameters<typeof account>[0], string[], string?]>([
  [
    'a custom resource has the plural of its CRD',
    {
      resource:
        'apiVersion: example.com/v1\nkind: Mouse\nmetadata: {name: a, namespace: web}\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: mice.example.com}\nspec: {group: example.com, scope: Namespaced, names: {plural: mice, kind: Mouse}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n',
    },
    [`ClusterRole: ${all} of  namespaces`, `ClusterRole: ${all} of example.com mice`],
  ],
  [
    'who places a role needs the rights that it grants, and for a binding to another one the right to bind it',
    {
      resource:
        'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: a, namespace: web}\nrules: [{apiGroups: [""], resources: [secrets], resourceNames: [b], verbs: [get]}]\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a, namespace: web}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\n',
    },
    [
      `ClusterRole: ${all} of  namespaces`,
      `ClusterRole: ${all} of rbac.authorization.k8s.io rolebindings,roles`,
      'ClusterRole: get of  secrets b',
      'ClusterRole: bind of rbac.authorization.k8s.io clusterroles view',
    ],
  ],
  [
    'who places an aggregated role, whose rules the cluster fills in, needs the rights to escalate and to bind it',
    {
      resource:
        'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\naggregationRule: {clusterRoleSelectors: [{matchLabels: {to: a}}]}\nrules: []\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: a}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: a}\n',
      selectors: rbacSelectors,
    },
    [
      `ClusterRole: ${all} of  namespaces`,
      `ClusterRole: ${all} of rbac.authorization.k8s.io clusterrolebindings,clusterroles`,
      'ClusterRole: bind,escalate of rbac.authorization.k8s.io clusterroles a',
    ],
  ],
  [
    'a role of another namespace does not give the rights to bind one of its name',
    {
      resource:
        'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: a, namespace: other}\nrules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a, namespace: web}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}\n',
      selectors: '{group: "", version: v1, kind: Namespace, name: other}',
    },
    [
      `ClusterRole: ${all} of  namespaces`,
      `ClusterRole: ${all} of rbac.authorization.k8s.io rolebindings,roles`,
      'ClusterRole: get of  secrets',
      'ClusterRole: bind of rbac.authorization.k8s.io roles a',
    ],
  ],
  [
    'who places an admission policy needs the right to read its parameters, and to list those that its binding selects',
    {
      resource:
        'apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: a}\nspec: {paramKind: {apiVersion: example.com/v1, kind: Limit}, validations: [{expression: "true"}]}\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: a}\nspec: {policyName: a, paramRef: {selector: {}, parameterNotFoundAction: Deny}, validationActions: [Deny]}\n',
      selectors:
        '{group: admissionregistration.k8s.io, version: v1, kind: ValidatingAdmissionPolicy}, {group: admissionregistration.k8s.io, version: v1, kind: ValidatingAdmissionPolicyBinding}',
    },
    [
      `ClusterRole: ${all} of  namespaces`,
      `ClusterRole: ${all} of admissionregistration.k8s.io validatingadmissionpolicies,validatingadmissionpolicybindings`,
      'ClusterRole: get,list of example.com limits',
    ],
  ],
  [
    'plans of system-upgrade-controller are written in its namespace only',
    { annotations: 'gitfleet.dev/upgrade-provider: system-upgrade-controller' },
    [
      `ClusterRole: ${all} of  namespaces`,
      'ClusterRole: list of policy poddisruptionbudgets',
      'Role in system-upgrade: list,create,delete of upgrade.cattle.io plans',
      'Role in system-upgrade: list,delete of batch jobs',
    ],
    ',/metrics',
  ],
  [
    'a provider that does not exist needs no rights, not even one with the name of a property of objects',
    { annotations: 'gitfleet.dev/upgrade-provider: constructor' },
    [`ClusterRole: ${all} of  namespaces`],
  ],
])('%s', async (_, of, rules, metrics = '') => {
  expect(await account(of)).toEqual([`${urls}${metrics}`, observed, ...rules]);
});

it('the rights before upgrades are those of deploy/member/preflight.yaml', () => {
  const rules = (upgrades: 'aks' | undefined) =>
    expanded(
      rulesOf(rightsFor({ placed: [], removed: [], nodes: undefined, properties: false, upgrades }, () => undefined)),
    );
  expect(rules('aks').filter((right) => !rules(undefined).includes(right))).toEqual(
    expanded(rolesOf('preflight.yaml')),
  );
});

it('the rights for nodes are those of deploy/member/nodes.yaml', () => {
  const placed = [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'default' } }];
  const rules = (nodes: 'plan' | 'execute' | undefined) =>
    expanded(
      rulesOf(rightsFor({ placed, removed: [], nodes, properties: false, upgrades: undefined }, () => undefined)),
    );
  const base = expanded(
    rulesOf(
      rightsFor({ placed: [], removed: [], nodes: undefined, properties: false, upgrades: undefined }, () => undefined),
    ),
  );
  const documented = expanded(rolesOf('nodes.yaml'));
  expect(rules('execute').filter((right) => !base.includes(right))).toEqual(
    documented.filter((right) => !base.includes(right)),
  );
  expect(rules('plan').filter((right) => right.startsWith('delete'))).toEqual(['delete karpenter.sh/nodepools']);
});

it.each([
  ['claims', true, 'execute'],
  ['no claims', false, 'plan'],
  ['nodes that were not observed', undefined, 'execute'],
])('nodes with machines of AKS may be removed where there are %s: %s', async (_, hasClaims, mode) => {
  const [made, provider] = [node('n1'), { 'gitfleet.dev/upgrade-provider': 'aks' }];
  const repo = folder({ 'eu-1.yaml': nodeMember('eu-1', 'execute', {}, provider) });
  const extras = [nodePool('default', {}), ...(hasClaims ? [claim(made)] : [])];
  const shown = hasClaims === undefined ? [] : [observedNodes('eu-1', { nodes: [made], pods: [], extras })];
  const observed = shown.length === 0 ? {} : { observed: join(folder({ 'eu-1.yaml': shown[0]! }), 'eu-1.yaml') };
  const input = await readPlanInput({ repo, ...observed });
  expect(workOn('eu-1', input, planFleet(input)).nodes).toBe(mode);
});

it('an unknown cluster is refused, with the nearest name', async () => {
  const ran = await cli('rbac', '--repo', folder(files('')), '--cluster', 'eu-2');
  expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringContaining('eu-1') });
});

it.each([
  ['NetworkPolicy', 'networkpolicies'],
  ['Ingress', 'ingresses'],
  ['Endpoints', 'endpoints'],
  ['Gateway', 'gateways'],
  ['EndpointSlice', 'endpointslices'],
])('the plural of %s is %s', (kind, plural) => {
  expect(guessedPlural(kind)).toBe(plural);
});
