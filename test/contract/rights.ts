import type { Transport } from '../../src/members/api-server/transport.ts';

/** What the suite does on a cluster, by API group and resource. Nothing else of it needs a right. */
const needed: readonly (readonly [group: string, resource: string, verbs: string])[] = [
  ['', 'namespaces', 'create get delete'],
  ['', 'serviceaccounts', 'get'],
  ['', 'configmaps', 'create get list watch update patch delete'],
  ['', 'secrets', 'create get list watch patch'],
  ['', 'services', 'create patch'],
  ['', 'pods', 'create delete list'],
  ['', 'pods/status', 'patch'],
  ['', 'pods/eviction', 'create'],
  ['', 'nodes', 'list'],
  ['apps', 'deployments', 'create get list watch patch delete'],
  ['apps', 'deployments/status', 'patch'],
  ['batch', 'jobs', 'create patch'],
  ['policy', 'poddisruptionbudgets', 'create'],
  ['apiextensions.k8s.io', 'customresourcedefinitions', 'create get list watch patch delete'],
  // Of a group that is made up anew for each test, so that only a rule for all groups gives them.
  ['contract.gitfleet.dev', 'widgets', 'create get list watch patch delete'],
  ['contract.gitfleet.dev', 'widgets/status', 'patch'],
];

/** Rights that the suite needs in all namespaces and the user lacks, in words; rejects where the server does not say. */
export async function missingRights(transport: Transport): Promise<string[]> {
  const asked = needed.flatMap(([group, resource, verbs]) =>
    verbs.split(' ').map((verb) => ({ group, resource, verb })),
  );
  const answers = await Promise.all(asked.map((right) => isAllowed(transport, right)));
  return asked
    .filter((_, at) => !answers[at])
    .map(({ group, resource, verb }) => `${verb} ${resource}${group && `.${group}`}`);
}

async function isAllowed(
  transport: Transport,
  right: { readonly group: string; readonly resource: string; readonly verb: string },
): Promise<boolean> {
  const [resource, subresource = ''] = right.resource.split('/');
  const response = await transport({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { ...right, resource, subresource } },
    }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (response.status !== 201) throw new Error(`the server answers ${response.status}: ${text.slice(0, 300)}`);
  return (JSON.parse(text) as { status: { allowed: boolean } }).status.allowed;
}
