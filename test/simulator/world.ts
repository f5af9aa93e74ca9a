import { manualClock } from '../../src/simulator/clock.ts';
import { openMember } from '../../src/simulator/member.ts';
import type { Stored } from '../../src/simulator/object.ts';
import type { Fields } from '../../src/simulator/schema/schema.ts';
import { isStream } from '../../src/simulator/serve/http.ts';

export const begin = Date.UTC(2026, 0, 1);

type Spec = Omit<Parameters<typeof openMember>[0], 'name'>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape.
  readonly body: any;
}

/** A simulated member on a clock that a test moves, and the requests that a test makes. */
export async function openWorld(spec: Spec = {}) {
  const clock = manualClock(begin);
  const member = await openMember({ name: 'test', ...spec }, clock);

  async function request(
    method: string,
    url: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const [path = '', query = ''] = url.split('?');
    const answer = await member.request({
      method,
      path,
      query: new URLSearchParams(query),
      headers: { 'content-type': 'application/json', ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    if (isStream(answer.body)) return { ...answer, body: answer.body };
    const text = String(answer.body);
    const isJson = answer.headers['content-type'] === 'application/json';
    return { ...answer, body: isJson ? JSON.parse(text) : text };
  }

  const apply = (url: string, body: unknown, query = 'fieldManager=test&force=true') =>
    request('PATCH', `${url}?${query}`, body, { 'content-type': 'application/apply-patch+yaml' });

  return {
    clock,
    member,
    cluster: member.cluster,
    request,
    apply,
    seconds: (count: number) => clock.advance(count * 1000),
    list: (key: string, namespace?: string): readonly Stored[] => member.cluster.store.list(key, namespace),
    get: (key: string, name: string, namespace?: string): Stored | undefined =>
      member.cluster.store.get(key, { name, namespace }),
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

export const deploymentUrl = '/apis/apps/v1/namespaces/default/deployments';

/** A Deployment with one container; `spec` and `template` add to it. */
export const deployment = (
  name: string,
  spec: Fields = {},
  pod: { annotations?: Fields; spec?: Fields; image?: string } = {},
) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name }, ...(pod.annotations ? { annotations: pod.annotations } : {}) },
      spec: { containers: [{ name: 'main', image: pod.image ?? 'app:1' }], ...pod.spec },
    },
    ...spec,
  },
});
