import { expect } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import { memoryHost } from '../../forge/git-host.ts';
import type { VirtualFleet } from '../../support/virtual-fleet.ts';

/** Names of the namespaces in which something happens. */
export const apps = ['web', 'shop'] as const;

/** `cluster action Kind namespace/name` of everything that differs between what members held before and after. */
export function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (const [key, text] of before) {
    const [cluster, object] = split(key);
    if (!after.has(key)) found.push(`${cluster} removed ${object}`);
    else if (after.get(key) !== text) found.push(`${cluster} changed ${object}`);
  }
  for (const key of after.keys()) {
    const [cluster, object] = split(key);
    if (!before.has(key)) found.push(`${cluster} added ${object}`);
  }
  return found.sort();
}

const split = (key: string): [string, string] => [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)];

/** What members hold of the fleet, by `cluster Kind namespace/name`, without marks and status. */
export function heldBy({ members }: VirtualFleet): Map<string, string> {
  const held = new Map<string, string>();
  for (const [cluster, { cluster: simulated }] of members)
    for (const plural of ['/namespaces', '/configmaps', 'apps/deployments'])
      for (const object of simulated.store.list(plural) as unknown as Manifest[]) {
        const { name, namespace, labels = {} } = object.metadata;
        if (!apps.some((app) => app === (namespace ?? name)) || name === 'kube-root-ca.crt') continue;
        const place = namespace === undefined ? name : `${namespace}/${name}`;
        const own = JSON.stringify([object['data'], object['spec'], labels['only']]);
        held.set(`${cluster} ${object.kind} ${place}`, own);
      }
  return held;
}

/** The same as {@link differences}, as a comment says it; `when`: what a line of later changes begins with. */
export const saidIn = (comment: string, when = ''): string[] =>
  [
    ...comment.matchAll(
      new RegExp(
        String.raw`^\*\*${when}\S+: (\S+ \S+) (removed|changed|added), (?:on (\S+)|same on \d+ clusters \(([^)]*)\))`,
        'gm',
      ),
    ),
  ]
    .flatMap(([, object, action, one, several]) =>
      (one ?? several!.replace(/,/g, ''))
        .split(' ')
        .map((cluster) => `${cluster.replace(/\*+$/, '')} ${action} ${object}`),
    )
    .sort();

/** Merges every approval that is asked, or none, until members have not changed for a while. */
export async function settle(fleet: VirtualFleet, { approves = true } = {}): Promise<void> {
  let [quiet, last] = [0, ''];
  for (let round = 0; round < 60 && quiet < 3; round++) {
    await fleet.run(60);
    const refs = approves ? [...fleet.repo.refs.keys()] : [];
    const asked = refs.filter((ref) => ref.startsWith('refs/heads/gitfleet/approve/'));
    for (const ref of asked) await memoryHost(fleet.repo).merge(ref.slice('refs/heads/'.length), 'main', 'squash');
    const now = JSON.stringify([...heldBy(fleet)]);
    quiet = now === last && asked.length === 0 ? quiet + 1 : 0;
    last = now;
  }
  expect(quiet).toBe(3);
}
