import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { placementLabel } from '../../engine/overrides/ownership.ts';
import { ApiError, UnreachableError } from '../../members/api-server/api-error.ts';
import { type MemberClient, memberClient } from '../../members/api-server/client.ts';
import { type Discovery, discover } from '../../members/api-server/discovery.ts';
import { sharedLimits } from '../../members/api-server/shared-limits.ts';
import { objectRequests } from '../../members/apply/requests.ts';
import { systemClock } from '../../members/clock.ts';
import { changeOf, type ManifestChange } from '../../repo/diff/change.ts';
import { membersNamed } from '../run/members-named.ts';
import { orphanedObjects } from './orphaned-objects.ts';

/** What a cluster should hold of a placement. */
interface Wanted {
  readonly clusterName: string;
  readonly placement: string;
  readonly wanted: readonly Manifest[];
  /** Of the placement's objects; what does not carry it is not removed. */
  readonly label: string | undefined;
  readonly prunable: readonly ObjectRef[];
}

interface Found {
  readonly clusterName: string;
  readonly placement: string;
  readonly change: ManifestChange;
}

/** Compares with the live objects of members. `unreached`: why, for each cluster that could not be compared. */
export async function liveChanges(
  targets: readonly Wanted[],
  options: { readonly members: string; readonly timeoutMs: number },
): Promise<{ readonly changes: readonly Found[]; readonly unreached: readonly string[] }> {
  const connections = await membersNamed(options.members);
  const clusters = [...new Set(targets.map(({ clusterName }) => clusterName))];
  const answers = await Promise.all(
    clusters.map(async (clusterName) => {
      const life = AbortSignal.timeout(options.timeoutMs);
      try {
        const transport = await connections.open(clusterName);
        if (!transport) return { unreached: [`${clusterName}: the kubeconfig has no such member`], changes: [] };
        const client = memberClient({
          name: clusterName,
          transport,
          clock: systemClock,
          life,
          // All clusters are read together, and only once: a limit for all of them would fail some of a large fleet.
          shared: sharedLimits(),
          // The request rejects, so that the cluster is reported as not compared.
          refused: () => {},
        });
        const discovery = discover(client);
        const look = looker(client, discovery);
        const mine = targets.filter((target) => target.clusterName === clusterName);
        const changes = await Promise.all(mine.map((target) => ofTarget(target, look)));
        return { unreached: [], changes: changes.flat() };
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof UnreachableError || life.aborted)) throw error;
        const why = life.aborted ? `no response within ${options.timeoutMs / 1000} s` : (error as Error).message;
        return { unreached: [`${clusterName}: ${why}`], changes: [] };
      }
    }),
  );
  return {
    changes: answers.flatMap(({ changes }) => changes),
    unreached: answers.flatMap(({ unreached }) => unreached),
  };
}

interface Look {
  read(manifest: Manifest): Promise<Manifest | undefined>;
  /** What applying would make of it. */
  apply(manifest: Manifest, live: Manifest | undefined): Promise<Manifest>;
}

async function ofTarget({ clusterName, placement, wanted, prunable, label }: Wanted, look: Look): Promise<Found[]> {
  const changed = await Promise.all(
    wanted.map(async (manifest) => {
      const live = await look.read(manifest);
      return changeOf(live, await look.apply(manifest, live));
    }),
  );
  const removed = await Promise.all(
    orphanedObjects(prunable, wanted).map(async (manifest) => {
      const live = await look.read(manifest);
      return live?.metadata.labels?.[placementLabel] === label ? changeOf(live, undefined) : undefined;
    }),
  );
  return [...changed, ...removed].flatMap((change) => (change ? [{ clusterName, placement, change }] : []));
}

function looker(client: MemberClient, discovery: Discovery): Look {
  const requestsFor = async (manifest: Manifest) => {
    const served = await discovery.find(manifest.apiVersion, manifest.kind);
    return served && objectRequests(client, served, manifest);
  };
  return {
    read: async (manifest) => (await (await requestsFor(manifest))?.read()) ?? undefined,
    async apply(manifest, live) {
      const requests = await requestsFor(manifest);
      try {
        return (await requests?.dryRun()) ?? manifest;
      } catch (error) {
        // The namespace comes with the same plan: the object is new.
        if (live === undefined && error instanceof ApiError && error.status === 404) return manifest;
        throw error;
      }
    },
  };
}
