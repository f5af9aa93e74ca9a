import { expect, it } from 'vitest';
import { configMap, definition } from './objects.ts';
import { type Answer, configMaps, type Session } from './session.ts';

/** Objects and requests that a server takes for a mistake: what a fleet repo holds by mistake has to fail in tests, too. */
export function strictness(now: () => Session): void {
  const inNamespace = (group: string, plural: string): string => `${group}/namespaces/${now().namespace}/${plural}`;

  const rights = '/apis/rbac.authorization.k8s.io/v1';
  const role = (rule: object, kind = 'Role') => ({ kind, apiVersion: 'rbac.authorization.k8s.io/v1', rules: [rule] });
  const binding = (roleRef: object) => ({
    kind: 'RoleBinding',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    subjects: [],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a', ...roleRef },
  });
  const secret = (type: string, data: object = {}) => ({ kind: 'Secret', apiVersion: 'v1', type, data });
  const map = (more: object, metadata: object = {}) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata, ...more });
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '' };
  const lease = (renewTime: string) => ({ kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', spec: { renewTime } });

  it.each<[what: string, status: number, text: string, group: string, plural: string, object: object]>([
    [
      'a ConfigMap with a key of other letters',
      422,
      'data[a b]',
      '/api/v1',
      'configmaps',
      map({ data: { 'a b': '' } }),
    ],
    [
      'a ConfigMap with a key in both of its maps',
      422,
      'data[a]',
      '/api/v1',
      'configmaps',
      map({ data: { a: '' }, binaryData: { a: '' } }),
    ],
    ['a ConfigMap that is not base64', 400, 'base64', '/api/v1', 'configmaps', map({ binaryData: { a: '!' } })],
    ['a Secret that is not base64', 400, 'base64', '/api/v1', 'secrets', secret('Opaque', { a: '!' })],
    ['a Secret of TLS without its keys', 422, 'data[tls.crt]', '/api/v1', 'secrets', secret('kubernetes.io/tls')],
    [
      'a Secret of a registry without its key',
      422,
      'data[.dockerconfigjson]',
      '/api/v1',
      'secrets',
      secret('kubernetes.io/dockerconfigjson'),
    ],
    [
      'a Secret of an older registry file',
      422,
      'data[.dockercfg]',
      '/api/v1',
      'secrets',
      secret('kubernetes.io/dockercfg'),
    ],
    ['a Secret of SSH', 422, 'data[ssh-privatekey]', '/api/v1', 'secrets', secret('kubernetes.io/ssh-auth')],
    ['a Secret of a login', 422, 'data[username]', '/api/v1', 'secrets', secret('kubernetes.io/basic-auth')],
    [
      'a Secret of an account without its name',
      422,
      'metadata.annotations[kubernetes.io/service-account.name]',
      '/api/v1',
      'secrets',
      secret('kubernetes.io/service-account-token'),
    ],
    [
      'an annotation of other letters',
      422,
      'metadata.annotations',
      '/api/v1',
      'configmaps',
      map({}, { annotations: { 'a b': '' } }),
    ],
    [
      'a finalizer without a domain',
      422,
      'metadata.finalizers',
      '/api/v1',
      'configmaps',
      map({}, { finalizers: ['mine'] }),
    ],
    [
      'an owner without a uid',
      422,
      'metadata.ownerReferences',
      '/api/v1',
      'configmaps',
      map({}, { ownerReferences: [owner] }),
    ],
    ['a Role without verbs', 422, 'rules[0].verbs', rights, 'roles', role({ apiGroups: [''], resources: ['pods'] })],
    [
      'a Role without groups',
      422,
      'rules[0].apiGroups',
      rights,
      'roles',
      role({ verbs: ['get'], resources: ['pods'] }),
    ],
    ['a Role without resources', 422, 'rules[0].resources', rights, 'roles', role({ verbs: ['get'], apiGroups: [''] })],
    ['a Role for paths', 422, 'nonResourceURLs', rights, 'roles', role({ verbs: ['get'], nonResourceURLs: ['/a'] })],
    ['a RoleBinding of another kind', 422, 'roleRef.kind', rights, 'rolebindings', binding({ kind: 'Rule' })],
    ['a RoleBinding of another group', 422, 'roleRef.apiGroup', rights, 'rolebindings', binding({ apiGroup: 'a' })],
    [
      'a Lease with a time without microseconds',
      400,
      'parsing time',
      '/apis/coordination.k8s.io/v1',
      'leases',
      lease('2026-11-20T10:00:00Z'),
    ],
  ])('%s', async (_, status, text, group, plural, object) => {
    const metadata = { name: 'mistaken', ...(object as { metadata?: object }).metadata };
    const answer = await now().send('POST', inNamespace(group, plural), { body: { ...object, metadata } });
    refused(answer, status, text);
    expect((await now().send('GET', `${inNamespace(group, plural)}/mistaken`)).status).toBe(404);
  });

  it.each<[what: string, text: string, plural: string, object: object]>([
    ['a ClusterRole without verbs', 'rules[0].verbs', 'clusterroles', role({ nonResourceURLs: ['/a'] }, 'ClusterRole')],
    [
      'a ClusterRoleBinding of a Role',
      'roleRef.kind',
      'clusterrolebindings',
      { ...binding({}), kind: 'ClusterRoleBinding' },
    ],
  ])('%s', async (_, text, plural, object) => {
    const body = { ...object, metadata: { name: `mistaken-${now().id}` } };
    refused(await now().send('POST', `${rights}/${plural}`, { body }), 422, text);
  });

  it.each<[what: string, text: string, change: (schema: object) => object]>([
    ['an array without items', '.items', () => ({ type: 'array' })],
    ['a field without a type', '.type', () => ({})],
  ])('a definition with %s', async (_, text, change) => {
    const wrong = structuredClone(definition(now().id)) as unknown as Definition;
    wrong.spec.versions[0]!.schema.openAPIV3Schema.properties['mistaken'] = change({});
    refused(await now().send('POST', definitions, { body: wrong }), 422, text);
  });

  it.each([
    ['without a dot', 'example', 'spec.group'],
    ['that is Kubernetes’ own, without its approval', 'example.k8s.io', 'api-approved.kubernetes.io'],
  ])('a definition of a group %s', async (_, group, text) => {
    const wrong = structuredClone(definition(now().id)) as unknown as Definition;
    const body = {
      ...wrong,
      metadata: { name: `${wrong.spec.names.plural}.${group}` },
      spec: { ...wrong.spec, group },
    };
    refused(await now().send('POST', definitions, { body }), 422, text);
  });

  it.each([
    ['a label selector', { labelSelector: 'a b' }, 400],
    ['a limit', { limit: 'abc' }, 400],
    ['a timeout', { timeoutSeconds: 'abc' }, 400],
    ['exactly the version 0', { resourceVersion: '0', resourceVersionMatch: 'Exact' }, 422],
    ['a version match that there is not', { resourceVersion: '1', resourceVersionMatch: 'Foo' }, 422],
    ['of a watch a version match', { watch: 'true', resourceVersion: '1', resourceVersionMatch: 'NotOlderThan' }, 422],
    ['of a watch a timeout', { watch: 'true', timeoutSeconds: 'abc' }, 400],
  ])('a list with a query that is not valid: %s', async (_, query, status) => {
    refused(await now().send('GET', configMaps(now().namespace), { query }), status, '');
  });

  it('a watch from a version that is none', async () => {
    const query = { watch: 'true', resourceVersion: 'abc' };
    expect((await now().send('GET', configMaps(now().namespace), { query })).status).toBe(500);
  });

  it('a field manager of more than 128 letters', async () => {
    refused(await now().apply(configMap(now().namespace, 'a'), 'a'.repeat(129)), 422, 'fieldManager');
  });

  it('an apply of a list item without its key', async () => {
    const wrong = { ...configMap(now().namespace, 'a'), metadata: { name: 'a', namespace: now().namespace } };
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'b' }];
    const answer = await now().apply({ ...wrong, metadata: { ...wrong.metadata, ownerReferences } as never }, 'one');
    expect(answer.status).toBe(500);
    expect(answer.body.message).toContain('omits key field "uid"');
  });

  it('another uid, by a patch', async () => {
    await now().apply(configMap(now().namespace, 'a'), 'one');
    const answer = await now().send('PATCH', configMaps(now().namespace, 'a'), {
      type: 'application/merge-patch+json',
      body: { metadata: { uid: '00000000-0000-0000-0000-000000000000' } },
    });
    refused(answer, 422, 'metadata.uid');
  });

  it.each(['application/contract', 'application/json;as=Contract;g=meta.k8s.io;v=v1'])(
    'an answer in a form that there is not: %s',
    async (accept) => {
      refused(await now().send('GET', configMaps(now().namespace), { accept }), 406, 'media types');
    },
  );

  it('a deletion with a propagation that there is not, and it deletes nothing', async () => {
    await now().apply(configMap(now().namespace, 'a'), 'one');
    const path = configMaps(now().namespace, 'a');
    refused(await now().send('DELETE', path, { query: { propagationPolicy: 'Sideways' } }), 422, 'propagationPolicy');
    expect((await now().send('GET', path)).status).toBe(200);
  });

  it.each<[string, Parameters<ReturnType<typeof now>['send']>[2]]>([
    ['query', { query: { gracePeriodSeconds: 'abc' } }],
    ['body', { body: { gracePeriodSeconds: 'abc' } }],
  ])('a deletion with a grace period that is no number, in the %s, and it deletes nothing', async (_, options) => {
    await now().apply(configMap(now().namespace, 'a'), 'one');
    const path = configMaps(now().namespace, 'a');
    refused(await now().send('DELETE', path, options), 400, '');
    expect((await now().send('GET', path)).status).toBe(200);
  });

  it('a deletion of a namespace of the cluster itself', async () => {
    refused(
      await now().send('DELETE', '/api/v1/namespaces/kube-system', { query: { dryRun: 'All' } }),
      403,
      'kube-system',
    );
  });

  it('a path that nothing serves, in plain text', async () => {
    const { status, body } = await now().send('GET', '/apis/apps/v1/nothings');
    expect([status, body]).toEqual([404, '404 page not found\n']);
  });
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Definition {
  readonly spec: {
    readonly names: { readonly plural: string };
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: { readonly properties: Record<string, object> } };
    }[];
  };
}

function refused({ status, body }: Answer, expected: number, text: string): void {
  expect(status, JSON.stringify(body)).toBe(expected);
  expect(body.message).toContain(text);
}
