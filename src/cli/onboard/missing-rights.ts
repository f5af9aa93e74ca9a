import { isFields } from '../../engine/kernel/fields.ts';
import type { MemberClient } from '../../members/api-server/client.ts';
import { eachOf } from '../../members/pool.ts';
import type { Right } from '../../members/rights.ts';

const reviews = '/apis/authorization.k8s.io/v1';

/**
 * Those rights that the account of the client does not have. One request lists its rules; only for what is not among them the member is
 * asked one by one, because an authorizer outside of the API server need not list its rules. Rejects as `MemberClient.json`.
 */
export async function missingRights(client: MemberClient, rights: readonly Right[]): Promise<Right[]> {
  const rules = await client.json({
    method: 'POST',
    path: `${reviews}/selfsubjectrulesreviews`,
    body: JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      spec: { namespace: 'default' },
    }),
    tried: 'list the rights of the account',
  });
  const status = isFields(rules) && isFields(rules['status']) ? rules['status'] : {};
  const doubtful = rights.filter((right) => !isListed(status, right));
  const denied: Right[] = [];
  await eachOf(doubtful, client.concurrency, async (right) => {
    if (!(await isAllowed(client, right))) denied.push(right);
  });
  return rights.filter((right) => denied.includes(right));
}

async function isAllowed(client: MemberClient, right: Right): Promise<boolean> {
  const spec = 'url' in right ? { nonResourceAttributes: { path: right.url, verb: right.verb } } : attributesOf(right);
  const review = await client.json({
    method: 'POST',
    path: `${reviews}/selfsubjectaccessreviews`,
    body: JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }),
    tried: 'check a right of the account',
  });
  return isFields(review) && isFields(review['status']) && review['status']['allowed'] === true;
}

function attributesOf({ verb, group, resource, name, namespace }: Exclude<Right, { readonly url: string }>) {
  const [plural, subresource] = resource.split('/');
  return { resourceAttributes: { verb, group, resource: plural, subresource, name, namespace } };
}

function isListed(status: Readonly<Record<string, unknown>>, right: Right): boolean {
  const among = (list: unknown, matches: (text: string) => boolean): boolean =>
    Array.isArray(list) && list.some((text) => text === '*' || matches(String(text)));
  const rules = (field: string) => (Array.isArray(status[field]) ? status[field].filter(isFields) : []);
  if ('url' in right)
    return rules('nonResourceRules').some(
      (rule) =>
        among(rule['verbs'], (verb) => verb === right.verb) &&
        among(rule['nonResourceURLs'], (url) =>
          url.endsWith('*') ? right.url.startsWith(url.slice(0, -1)) : url === right.url,
        ),
    );
  // A rule of the namespace that is asked for does not hold elsewhere, and rules do not say where they are from.
  if (right.namespace !== undefined) return false;
  return rules('resourceRules').some((rule) => {
    const names = Array.isArray(rule['resourceNames']) ? rule['resourceNames'] : [];
    return (
      among(rule['verbs'], (verb) => verb === right.verb) &&
      among(rule['apiGroups'], (group) => group === right.group) &&
      among(rule['resources'], (resource) => resource === right.resource) &&
      (names.length === 0 || names.includes(right.name))
    );
  });
}
