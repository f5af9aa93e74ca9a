import { expect, it } from 'vitest';
import { leaveOut } from './left-out.ts';
import { configMap } from './objects.ts';
import { type Answer, configMaps, eventually, patienceMs, type Session } from './session.ts';

export function paging(now: () => Session): void {
  const selector = 'contract/paged=yes';
  const page = (more: Record<string, string> = {}): Promise<Answer> =>
    now().send('GET', configMaps(now().namespace), { query: { labelSelector: selector, limit: '2', ...more } });
  const names = ({ body }: Answer): string[] =>
    body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);

  async function make(count: number): Promise<string[]> {
    const made = Array.from({ length: count }, (_, at) => `item-${at}`);
    for (const name of made)
      await now().apply(configMap(now().namespace, name, {}, { labels: { 'contract/paged': 'yes' } }), 'one');
    return made;
  }

  it('give everything once, all of one moment', async () => {
    const made = await make(5);
    const pages = [await page()];
    await now().apply(configMap(now().namespace, 'item-5', {}, { labels: { 'contract/paged': 'yes' } }), 'one');
    for (let token = pages[0]!.body.metadata.continue; token; token = pages.at(-1)!.body.metadata.continue)
      pages.push(await page({ continue: token }));
    expect(pages.flatMap(names)).toEqual(made);
    expect(new Set(pages.map(({ body }) => body.metadata.resourceVersion)).size).toBe(1);
  });

  it('are what our client makes one list of', async () => {
    const made = await make(3);
    const { items } = await now().client.list(configMaps(now().namespace), { labelSelector: selector });
    expect(items.map(({ metadata, kind, apiVersion }) => `${apiVersion} ${kind} ${metadata.name}`)).toEqual(
      made.map((name) => `v1 ConfigMap ${name}`),
    );
  });

  it('are refused with 410 when the moment they are of is forgotten', async (test) => {
    await make(3);
    const { continue: token } = (await page()).body.metadata;
    // The same token of a moment long ago.
    const old = { ...JSON.parse(Buffer.from(token, 'base64url').toString()), rv: 1 };
    const again = () => page({ continue: Buffer.from(JSON.stringify(old)).toString('base64url') });
    const { forget, forgetsWithinMs } = now().server;
    forget();
    if (forgetsWithinMs > patienceMs && (await again()).status !== 410)
      leaveOut(
        test,
        `a server of less than ${forgetsWithinMs / 60_000} minutes still remembers everything: run this later again`,
      );
    await eventually(async () => {
      const { status, body } = await again();
      expect([status, body.reason]).toEqual([410, 'Expired']);
    });
  });

  it('are refused with 400 when the token is none', async () => {
    expect((await page({ continue: 'no token' })).status).toBe(400);
  });
}
