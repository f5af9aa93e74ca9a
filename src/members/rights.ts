import type { Manifest, ObjectRef } from '../api/meta.ts';
import type { DisruptionMode } from '../api/nodes/disruption-modes.ts';
import type { UpgradeProviderName } from '../api/upgrade-providers.ts';
import { isFields } from '../engine/kernel/fields.ts';
import { groupVersionOf } from '../engine/selection/group-version.ts';
import { watchedKinds } from './nodes/watched-kinds.ts';

/** One thing that the account of a member may do there. */
export type Right =
  | {
      readonly verb: string;
      /** Empty: the core group. */
      readonly group: string;
      /** Plural, with its subresource: `pods/eviction`. */
      readonly resource: string;
      /** Only the object of this name. */
      readonly name?: string;
      /** Only in this namespace, which must exist. */
      readonly namespace?: string;
    }
  | { readonly verb: 'get'; readonly url: string };

/** What gitfleet does on a member, which decides what it needs there. */
export interface Work {
  /** What is applied. */
  readonly placed: readonly Manifest[];
  /** Further objects that are to be removed. */
  readonly removed: readonly ObjectRef[];
  /** What gitfleet does about nodes; undefined: it does not look at them. */
  readonly nodes: DisruptionMode | undefined;
  /** A placement chooses clusters by their properties. */
  readonly properties: boolean;
  /** Undefined: nothing upgrades it. */
  readonly upgrades: UpgradeProviderName | undefined;
}

/** The plural of a kind, as the member or a CRD of the repo says; undefined: neither knows the kind. */
export type PluralOf = (apiVersion: string, kind: string) => string | undefined;

/** On every member: health, version and identity, and capacity for the properties of clusters. */
const observing: readonly Right[] = [
  ...['/readyz', '/version', '/api/*', '/apis', '/apis/*'].map((url): Right => ({ verb: 'get', url })),
  { verb: 'list', group: '', resource: 'pods' },
  { verb: 'list', group: '', resource: 'nodes' },
  { verb: 'get', group: '', resource: 'namespaces', name: 'kube-system' },
];

/** To read it anew only after a change; without it, with each heartbeat. */
const watching: readonly Right[] = ['pods', 'nodes'].map((resource) => ({ verb: 'watch', group: '', resource }));

/** On what is placed: server-side apply needs `patch`, and `create` for new objects. */
const placedVerbs = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

/** What carries out commands for nodes (docs/nodes.md). */
const executing: readonly Right[] = [
  ...['get', 'patch', 'delete'].map((verb): Right => ({ verb, group: '', resource: 'nodes' })),
  { verb: 'delete', group: '', resource: 'pods' },
  { verb: 'create', group: '', resource: 'pods/eviction' },
  { verb: 'delete', group: 'karpenter.sh', resource: 'nodeclaims' },
];

/** Before an upgrade by any provider (docs/upgrades.md). */
const checking: readonly Right[] = [
  { verb: 'get', url: '/metrics' },
  { verb: 'list', group: 'policy', resource: 'poddisruptionbudgets' },
];

/** By upgrade provider. Those without rights act elsewhere than on the member. */
const upgrading: Readonly<Record<UpgradeProviderName, readonly Right[]>> = {
  'cluster-api': [],
  aks: [],
  'system-upgrade-controller': [
    ...['list', 'create', 'delete'].map((verb): Right => inUpgrades(verb, 'upgrade.cattle.io', 'plans')),
    ...['list', 'delete'].map((verb): Right => inUpgrades(verb, 'batch', 'jobs')),
  ],
  simulated: [],
};

function inUpgrades(verb: string, group: string, resource: string): Right {
  return { verb, group, resource, namespace: 'system-upgrade' };
}

/** The rights that the account of a member needs, each once, and no more. */
export function rightsFor(work: Work, pluralOf: PluralOf): Right[] {
  const resource = ({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>) => ({
    group: groupVersionOf(apiVersion).group,
    resource: pluralOf(apiVersion, kind) ?? guessedPlural(kind),
  });
  const all = [
    ...observing,
    ...(work.properties ? watching : []),
    ...[...work.placed, ...work.removed].flatMap((of) => placedVerbs.map((verb) => ({ verb, ...resource(of) }))),
    ...work.placed.flatMap(grantedBy),
    ...work.placed.flatMap((manifest) => bindingOf(manifest, work.placed)),
    ...work.placed.flatMap((manifest) =>
      paramsOf(manifest, work.placed).map(({ verb, of }) => ({ verb, ...resource(of) })),
    ),
    ...(work.nodes === undefined
      ? []
      : watchedKinds.flatMap((of) => ['list', 'watch'].map((verb) => ({ verb, ...resource(of) })))),
    ...(work.nodes === 'execute' ? executing : []),
    ...(work.upgrades === undefined ? [] : [...checking, ...upgrading[work.upgrades]]),
  ];
  const rights = new Map<string, Right>(all.map((right) => [textOf(right), right]));
  return [...rights.values()].filter(
    (right) => 'url' in right || !right.name || !rights.has(textOf({ ...right, name: '' })),
  );
}

const textOf = (right: Right): string =>
  'url' in right
    ? right.url
    : [right.verb, right.group, right.resource, right.name || '', right.namespace ?? ''].join(' ');

/**
 * An account that places a role must have every right that the role grants, or `escalate` for it (Kubernetes, RBAC escalation
 * prevention). What an aggregated role grants is not known before, so the alternative to `escalate` is to have all rights.
 */
function grantedBy(manifest: Manifest): Right[] {
  if (!isRbac(manifest) || !/^(Cluster)?Role$/.test(manifest.kind)) return [];
  if (isAggregated(manifest))
    return [
      { verb: 'escalate', group: rbacGroup, resource: guessedPlural(manifest.kind), name: manifest.metadata.name },
    ];
  const rules = Array.isArray(manifest['rules']) ? manifest['rules'].filter(isFields) : [];
  return rules.flatMap((rule) => {
    const names = textsIn(rule['resourceNames']);
    return textsIn(rule['verbs']).flatMap((verb): Right[] => [
      ...textsIn(rule['nonResourceURLs']).map((url): Right => ({ verb: verb as 'get', url })),
      ...textsIn(rule['apiGroups']).flatMap((group) =>
        textsIn(rule['resources']).flatMap((resource) =>
          names.length === 0
            ? [{ verb, group, resource }]
            : names.map((name): Right => ({ verb, group, resource, name })),
        ),
      ),
    ]);
  });
}

/** An account that places a binding must have the rights of its role, or `bind` for it. */
function bindingOf(manifest: Manifest, placed: readonly Manifest[]): Right[] {
  const role = isFields(manifest['roleRef']) ? manifest['roleRef'] : undefined;
  if (!isRbac(manifest) || !/^(Cluster)?RoleBinding$/.test(manifest.kind) || role === undefined) return [];
  const { kind, name } = role;
  if (typeof name !== 'string' || (kind !== 'Role' && kind !== 'ClusterRole')) return [];
  const hasRights = placed.some(
    (other) =>
      isRbac(other) &&
      other.kind === kind &&
      other.metadata.name === name &&
      (kind === 'ClusterRole' || other.metadata.namespace === manifest.metadata.namespace) &&
      !isAggregated(other),
  );
  return hasRights ? [] : [{ verb: 'bind', group: rbacGroup, resource: guessedPlural(kind), name }];
}

/** The cluster writes the rules of such a role, from those of others. */
const isAggregated = (role: Manifest): boolean => role.kind === 'ClusterRole' && isFields(role['aggregationRule']);

type KindRef = Pick<ObjectRef, 'apiVersion' | 'kind'>;

/** Kinds that placed objects name as their parameters. */
export const paramKinds = (placed: readonly Manifest[]): KindRef[] =>
  placed.flatMap((manifest) => paramKindOf(manifest) ?? []);

/** The kind of the parameters of an admission policy. */
function paramKindOf(manifest: Manifest): KindRef | undefined {
  if (!isAdmission(manifest) || !/^(Validating|Mutating)AdmissionPolicy$/.test(manifest.kind)) return undefined;
  const { apiVersion, kind } = fieldsAt(fieldsAt(manifest['spec'])['paramKind']);
  return typeof apiVersion === 'string' && typeof kind === 'string' ? { apiVersion, kind } : undefined;
}

/** An account that places an admission policy must be allowed to read its parameters, and to list those that a binding selects. */
function paramsOf(manifest: Manifest, placed: readonly Manifest[]): { readonly verb: string; readonly of: KindRef }[] {
  const own = paramKindOf(manifest);
  if (own) return [{ verb: 'get', of: own }];
  if (!isAdmission(manifest) || !/^(Validating|Mutating)AdmissionPolicyBinding$/.test(manifest.kind)) return [];
  const { policyName, paramRef } = fieldsAt(manifest['spec']);
  if (!isFields(paramRef) || paramRef['name']) return [];
  const policy = placed.find((other) => `${other.kind}Binding` === manifest.kind && other.metadata.name === policyName);
  const of = policy && paramKindOf(policy);
  return of ? [{ verb: 'list', of }] : [];
}

const fieldsAt = (value: unknown): Readonly<Record<string, unknown>> => (isFields(value) ? value : {});
const isAdmission = ({ apiVersion }: Manifest): boolean =>
  groupVersionOf(apiVersion).group === 'admissionregistration.k8s.io';
const rbacGroup = 'rbac.authorization.k8s.io';
const isRbac = ({ apiVersion }: Manifest): boolean => groupVersionOf(apiVersion).group === rbacGroup;
const textsIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];

/** As Kubernetes guesses it (apimachinery, meta.UnsafeGuessKindToResource), with a vowel before `y` kept: Gateway, gateways. */
export function guessedPlural(kind: string): string {
  const word = kind.toLowerCase();
  if (word.endsWith('endpoints')) return word;
  if (word.endsWith('s')) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly nonResourceURLs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** The rules that grant rights: resources of a group with the same verbs share one. */
export function rulesOf(rights: readonly Right[]): PolicyRule[] {
  const urls = rights.flatMap((right) => ('url' in right ? [right] : []));
  const others = rights.flatMap((right) => ('url' in right ? [] : [right]));
  const resources = [...Map.groupBy(others, ({ group, resource, name }) => JSON.stringify([group, resource, name]))];
  const alike = Map.groupBy(resources, ([, [first, ...more]]) =>
    JSON.stringify([first!.group, first!.name, inOrder([first!, ...more])]),
  );
  return [
    ...Map.groupBy(urls, ({ verb }) => verb)
      .values()
      .map((of) => ({
        nonResourceURLs: of.map(({ url }) => url),
        verbs: [of[0]!.verb],
      })),
    ...[...alike.values()].map((of) => {
      const [first] = of[0]![1];
      return {
        apiGroups: [first!.group],
        resources: of.map(([, [one]]) => one!.resource).sort(),
        ...(first!.name === undefined ? {} : { resourceNames: [first!.name] }),
        verbs: inOrder(of[0]![1]),
      };
    }),
  ];
}

const inOrder = (rights: readonly { readonly verb: string }[]): string[] =>
  [...new Set(rights.map(({ verb }) => verb))].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
const rank = (verb: string): number => placedVerbs.indexOf(verb) + 1 || placedVerbs.length + 1;
