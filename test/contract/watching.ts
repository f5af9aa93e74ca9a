import { expect, it } from 'vitest';
import type { Manifest } from '../../src/api/meta.ts';
import type { WatchEvent } from '../../src/members/api-server/watch-stream.ts';
import { leaveOut } from './left-out.ts';
import { configMap, definition, groupOf, widget } from './objects.ts';
import { configMaps, eventually, patienceMs, type Session } from './session.ts';

/** The watch cache of a definition begins when the definition does, so that version 1 is older than what it knows. */
const forgotten = '1';

/** Lists and watches as our reflector needs them. */
export function watching(now: () => Session): void {
  const wanted = { 'contract/watched': 'yes' };
  const query = { labelSelector: 'contract/watched=yes' };
  const cm = (name: string, data = {}, labels: object = wanted): Manifest =>
    configMap(now().namespace, name, data, { labels });
  const path = () => configMaps(now().namespace);
  const versionNow = async () => (await now().client.list(path(), query)).resourceVersion;
  const outline = ({ type, object }: WatchEvent): string => `${type} ${object.metadata.name}`;

  /** Events from a version on, until there are so many. */
  async function events(from: string, count: number, selector = query): Promise<WatchEvent[]> {
    const seen: WatchEvent[] = [];
    const stop = new AbortController();
    const watched = now().client.watch(path(), { ...selector, resourceVersion: from }, stop.signal, (event) => {
      if (event.type !== 'BOOKMARK') seen.push(event);
      if (seen.length === count) stop.abort();
    });
    await watched.catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    return seen;
  }

  async function history(): Promise<string> {
    const from = await versionNow();
    await now().apply(cm('a'), 'one');
    await now().apply(cm('a', { color: 'red' }), 'one');
    await now().apply(cm('b'), 'one');
    await now().send('DELETE', configMaps(now().namespace, 'a'));
    return from;
  }

  it('tell everything that happened since a list, in order', async () => {
    const seen = await events(await history(), 4);
    expect(seen.map(outline)).toEqual(['ADDED a', 'MODIFIED a', 'ADDED b', 'DELETED a']);
    const versions = seen.map(({ object }) => Number(object.metadata['resourceVersion']));
    expect([...versions].sort((a, b) => a - b)).toEqual(versions);
    expect(new Set(versions).size).toBe(4);
  });

  it('continue from the version of an event', async () => {
    const [, second] = await events(await history(), 4);
    const rest = await events(second!.object.metadata['resourceVersion'] as string, 2);
    expect(rest.map(outline)).toEqual(['ADDED b', 'DELETED a']);
  });

  it('tell what loses the label as removed, and what gets it as added', async () => {
    await now().apply(cm('a', {}, {}), 'one');
    const from = await versionNow();
    await now().apply(cm('a'), 'one');
    await now().apply(cm('a', {}, {}), 'one');
    expect((await events(from, 2)).map(outline)).toEqual(['ADDED a', 'DELETED a']);
  });

  /** A watch of five seconds, from its first to its last event, in which `during` happens. */
  async function shortWatch(from: string, during: () => Promise<unknown>): Promise<WatchEvent[]> {
    const search = { ...query, resourceVersion: from, timeoutSeconds: '5', allowWatchBookmarks: 'true', watch: 'true' };
    const url = `${path()}?${new URLSearchParams(search)}`;
    const response = await now().transport({ method: 'GET', path: url, headers: {} });
    expect(response.status).toBe(200);
    await during();
    let text = '';
    for await (const chunk of response.body) text += Buffer.from(chunk).toString('utf8');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as WatchEvent);
  }

  it('end when their time is over, and tell with a bookmark up to where they were', async () => {
    let from = await versionNow();
    let seen: WatchEvent[] = [];
    // Two seconds before the end, or somewhat later, and no server promises it: a busy one may be late once.
    for (let attempt = 0; attempt < 4 && seen.length === 0; attempt++) {
      from = await versionNow();
      // Bookmarks tell of nothing but what happened since the watch began, be it to objects that it does not show.
      seen = await shortWatch(from, () => now().apply(cm('a', { attempt: String(attempt) }, {}), 'one'));
    }
    expect(new Set(seen.map(({ type }) => type))).toEqual(new Set(['BOOKMARK']));
    expect(Number(seen.at(-1)?.object.metadata['resourceVersion'])).toBeGreaterThan(Number(from));
    await now().apply(cm('b'), 'one');
    const rest = await events(seen.at(-1)!.object.metadata['resourceVersion'] as string, 1);
    expect(rest.map(outline)).toEqual(['ADDED b']);
  });

  it('from a version that the server has not reached yet are accepted, and tell nothing older', async () => {
    const ahead = Number(await versionNow()) + 1_000_000_000;
    expect(await shortWatch(String(ahead), () => now().apply(cm('a'), 'one'))).toEqual([]);
  });

  it('from a version that the server no longer knows are refused with 410', async (test) => {
    const { id, namespace, server } = now();
    const created = await now().send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: definition(id),
    });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    now().undo(() =>
      now().send('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${groupOf(id)}`),
    );
    const widgets = `/apis/${groupOf(id)}/v1/namespaces/${namespace}/widgets`;
    await eventually(async () => {
      expect((await now().send('POST', widgets, { body: widget(id, namespace, 1) })).status).toBe(201);
    });
    server.forget();
    let reported = false;
    let error: unknown;
    await eventually(async () => {
      const stop = new AbortController();
      const watch = now().client.watch(widgets, { resourceVersion: forgotten }, stop.signal, () => {
        reported = true;
        stop.abort();
      });
      error = await watch.catch((reason: unknown) => reason);
      // The cache of a new kind may still be filled; then it is not known yet what it knows.
      expect(error).not.toMatchObject({ status: 429 });
    });
    if (reported && server.forgetsWithinMs > patienceMs)
      leaveOut(test, 'this server still knows what happened first: no watch cache');
    expect(error).toMatchObject({ status: 410 });
  });
}
