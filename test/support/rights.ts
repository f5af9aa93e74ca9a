import type { TransportRequest } from '../../src/members/api-server/transport.ts';

/** A rule of a Role or ClusterRole. */
export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** What a rule is about: `group/resource`, or `url:/path`. */
export const namedBy = ({ apiGroups = [], resources = [], nonResourceURLs = [] }: Rule): readonly string[] => [
  ...apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
  ...nonResourceURLs.map((url) => url.replace(/^(?=.)/, 'url:')),
];

/** `verb group/resource`, or `verb url:/path`; a server-side apply needs two. */
export function rightsOf({ method, path, headers }: TransportRequest): readonly string[] {
  const [pathname = '', query = ''] = path.split('?');
  const found =
    /^\/(?:api|apis\/(?<group>[^/]+))\/v[^/]+\/(?:namespaces\/[^/]+\/(?=.))?(?<resource>[^/]+)(?<name>\/.+)?$/.exec(
      pathname,
    )?.groups;
  if (!found) return [`get url:${urlPattern(pathname)}`];
  const part = found['name']?.endsWith('/eviction') ? '/eviction' : '';
  const on = `${found['group'] ?? ''}/${found['resource']}${part}`;
  if (method === 'GET') return [`${query.includes('watch=true') ? 'watch' : found['name'] ? 'get' : 'list'} ${on}`];
  if (method === 'PATCH' && headers?.['content-type']?.includes('merge-patch')) return [`patch ${on}`];
  if (method === 'PATCH') return [`patch ${on}`, `create ${on}`];
  return [`${method === 'POST' ? 'create' : method.toLowerCase()} ${on}`];
}

const urlPattern = (path: string): string => path.replace(/^(\/apis?)\/.+$/, '$1/*');

export const allows = (rule: Rule, right: string): boolean => {
  const [verb, on] = right.split(' ');
  return rule.verbs.includes(verb!) && namedBy(rule).includes(on!);
};
