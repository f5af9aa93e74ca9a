import { expect, it } from 'vitest';
import { discover } from '../../src/members/api-server/discovery.ts';
import { definition, groupOf, widget } from './objects.ts';
import { eventually, type Session } from './session.ts';

const all = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export function definitions(now: () => Session): void {
  const name = () => `widgets.${groupOf(now().id)}`;
  const widgets = () => `/apis/${groupOf(now().id)}/v1/namespaces/${now().namespace}/widgets`;
  const apply = (size: number, query: Record<string, string> = {}) =>
    now().send('PATCH', `${widgets()}/w`, {
      body: widget(now().id, now().namespace, size),
      type: 'application/apply-patch+yaml',
      query: { fieldManager: 'one', ...query },
    });

  async function define(): Promise<void> {
    const { status, body } = await now().send('POST', all, { body: definition(now().id) });
    expect(status, JSON.stringify(body)).toBe(201);
    now().undo(() => now().send('DELETE', `${all}/${name()}`));
    await eventually(async () => {
      const { body: seen } = await now().send('GET', `${all}/${name()}`);
      const established = seen.status?.conditions?.find(({ type }: { type: string }) => type === 'Established');
      expect(established?.status).toBe('True');
    });
  }

  it('are not served before their definition, and are soon after it', async () => {
    const discovery = discover(now().client);
    const kind = () => discovery.find(`${groupOf(now().id)}/v1`, 'Widget');
    expect(await kind()).toBe(undefined);
    expect((await apply(1)).status).toBe(404);
    await define();
    await eventually(async () => {
      discovery.forget();
      expect(await kind()).toMatchObject({ plural: 'widgets', namespaced: true });
    });
    await eventually(async () => expect((await apply(1)).status).toBe(201));
  });

  it('are listed and watched when the server has filled its cache of them; until then it says when to ask again', async () => {
    await define();
    const queries: Record<string, string>[] = [
      { labelSelector: 'contract=none', limit: '500' },
      { labelSelector: 'contract=none', watch: 'true', timeoutSeconds: '1', resourceVersion: '0' },
    ];
    for (const query of queries)
      await eventually(async () => {
        const { status, body, headers } = await now().send('GET', widgets(), { query });
        // A server learns of a definition a moment after it is established.
        expect([200, 404, 429]).toContain(status);
        if (status === 429) {
          expect(body.reason).toBe('TooManyRequests');
          expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
        }
        expect(status).toBe(200);
      });
  });

  it('are checked against their schema', async () => {
    await define();
    await eventually(async () => expect((await apply(1)).status).toBe(201));
    const small = await apply(0, { force: 'true' });
    expect([small.status, small.body.reason]).toEqual([422, 'Invalid']);
    const unknown = await now().send('PATCH', `${widgets()}/w`, {
      body: { ...widget(now().id, now().namespace, 1), spec: { size: 1, colour: 'red' } },
      type: 'application/apply-patch+yaml',
      query: { fieldManager: 'one', fieldValidation: 'Strict' },
    });
    expect(unknown.status).toBeGreaterThanOrEqual(400);
    expect(unknown.body.message).toContain('colour');
  });

  it('count generations by their spec, not by their status', async () => {
    await define();
    await eventually(async () => expect((await apply(1)).status).toBe(201));
    expect((await apply(2)).body.metadata.generation).toBe(2);
    const { status, body } = await now().send('PATCH', `${widgets()}/w/status`, {
      type: 'application/merge-patch+json',
      body: { status: { observedGeneration: 99 } },
    });
    expect([status, body.metadata.generation, body.status]).toEqual([200, 2, { observedGeneration: 99 }]);
  });

  it('go with their definition', async () => {
    await define();
    await eventually(async () => expect((await apply(1)).status).toBe(201));
    await now().send('DELETE', `${all}/${name()}`);
    await eventually(async () => {
      expect((await now().send('GET', `${all}/${name()}`)).status).toBe(404);
      expect((await now().send('GET', `${widgets()}/w`)).status).toBe(404);
    });
  });
}
