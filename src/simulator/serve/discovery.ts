import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { json, type SimResponse } from './http.ts';
import { NoSuchPath } from './status-error.ts';

/** Discovery in all forms that clients request: aggregated (v2, v2beta1) and one document per group-version. */
export function discovery(registry: Registry, path: string, accept: string | undefined): SimResponse {
  const parts = path.split('/').filter((part) => part !== '');
  const [root, group, version] = parts;
  if (root === 'api') {
    if (parts.length === 1) return aggregated(registry, true, accept) ?? json(200, coreVersions);
    if (parts.length === 2) return resourceList(registry, '', group!);
  }
  if (root === 'apis') {
    if (parts.length === 1) return aggregated(registry, false, accept) ?? json(200, groupList(registry));
    if (parts.length === 2) return oneGroup(registry, group!);
    if (parts.length === 3) return resourceList(registry, group!, version!);
  }
  throw new NoSuchPath();
}

const coreVersions = {
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [],
};

const usualVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const statusVerbs = ['get', 'patch', 'update'];

/** Kinds that exist only in requests. */
const questions: readonly { readonly group: string; readonly kind: string; readonly plural: string }[] = [
  { group: 'authorization.k8s.io', kind: 'SelfSubjectAccessReview', plural: 'selfsubjectaccessreviews' },
  { group: 'authorization.k8s.io', kind: 'SelfSubjectRulesReview', plural: 'selfsubjectrulesreviews' },
  { group: 'authentication.k8s.io', kind: 'SelfSubjectReview', plural: 'selfsubjectreviews' },
];

interface Served {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly {
    readonly name: string;
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly verbs: readonly string[];
  }[];
}

function served(kind: Kind): Served {
  const { group, version, plural } = kind;
  const own = { group, version, kind: kind.kind };
  return {
    ...kind,
    verbs: usualVerbs,
    subresources: [
      ...(kind.status ? [{ name: 'status', ...own, verbs: statusVerbs }] : []),
      ...(kind.scale
        ? [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: statusVerbs }]
        : []),
      ...(group === '' && plural === 'pods'
        ? [
            { name: 'eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
            { name: 'log', ...own, verbs: ['get'] },
          ]
        : []),
    ],
  };
}

/** The kinds by group and version. */
function byGroup(registry: Registry): Map<string, Map<string, Served[]>> {
  const groups = new Map<string, Map<string, Served[]>>();
  const add = (group: string, version: string, item: Served) => {
    let versions = groups.get(group);
    if (!versions) {
      versions = new Map();
      groups.set(group, versions);
    }
    versions.set(version, [...(versions.get(version) ?? []), item]);
  };
  for (const kind of registry.all()) add(kind.group, kind.version, served(kind));
  for (const { group, kind, plural } of questions) {
    add(group, 'v1', {
      plural,
      singular: kind.toLowerCase(),
      kind,
      namespaced: false,
      verbs: ['create'],
      shortNames: [],
      categories: [],
      subresources: [],
    });
  }
  return groups;
}

function aggregated(registry: Registry, core: boolean, accept: string | undefined): SimResponse | undefined {
  const wanted = /as=APIGroupDiscoveryList/.test(accept ?? '') && /;v=(v2beta1|v2)(;|,|$)/.exec(accept ?? '')?.[1];
  if (!wanted) return undefined;
  const groups = [...byGroup(registry)].filter(([group]) => (group === '') === core);
  const body = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${wanted}`,
    metadata: {},
    items: groups.map(([group, versions]) => ({
      metadata: { ...(group === '' ? {} : { name: group }), creationTimestamp: null },
      versions: [...versions].map(([version, resources]) => ({
        version,
        resources: resources.map((item) => ({
          resource: item.plural,
          responseKind: { group, version, kind: item.kind },
          scope: item.namespaced ? 'Namespaced' : 'Cluster',
          singularResource: item.singular,
          verbs: item.verbs,
          ...(item.shortNames.length > 0 ? { shortNames: item.shortNames } : {}),
          ...(item.categories.length > 0 ? { categories: item.categories } : {}),
          ...(item.subresources.length > 0
            ? {
                subresources: item.subresources.map((sub) => ({
                  subresource: sub.name,
                  responseKind: { group: sub.group, version: sub.version, kind: sub.kind },
                  verbs: sub.verbs,
                })),
              }
            : {}),
        })),
        freshness: 'Current',
      })),
    })),
  };
  // kubectl reads the parameters of the content type to find the form of the response.
  return json(200, body, {
    'content-type': `application/json;g=apidiscovery.k8s.io;v=${wanted};as=APIGroupDiscoveryList`,
  });
}

function apiGroup(name: string, versions: readonly string[]): Record<string, unknown> {
  const all = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: all, preferredVersion: all[0] };
}

const groupList = (registry: Registry): unknown => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: [...byGroup(registry)]
    .filter(([group]) => group !== '')
    .map(([group, versions]) => apiGroup(group, [...versions.keys()])),
});

function oneGroup(registry: Registry, name: string): SimResponse {
  const versions = byGroup(registry).get(name);
  if (!versions || name === '') throw new NoSuchPath();
  return json(200, { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(name, [...versions.keys()]) });
}

function resourceList(registry: Registry, group: string, version: string): SimResponse {
  const resources = byGroup(registry).get(group)?.get(version);
  if (!resources) throw new NoSuchPath();
  return json(200, {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.flatMap((item) => [
      {
        name: item.plural,
        singularName: item.singular,
        namespaced: item.namespaced,
        kind: item.kind,
        verbs: item.verbs,
        ...(item.shortNames.length > 0 ? { shortNames: item.shortNames } : {}),
        ...(item.categories.length > 0 ? { categories: item.categories } : {}),
      },
      ...item.subresources.map((sub) => ({
        name: `${item.plural}/${sub.name}`,
        singularName: '',
        namespaced: item.namespaced,
        ...(sub.group === group && sub.version === version ? {} : { group: sub.group, version: sub.version }),
        kind: sub.kind,
        verbs: sub.verbs,
      })),
    ]),
  });
}
