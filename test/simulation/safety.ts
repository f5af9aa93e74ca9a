import { placementLabel } from '../../src/engine/overrides/ownership.ts';
import type { StoreEvent } from '../../src/simulator/storage/event-log.ts';
import type { App, Desired } from './desired.ts';
import { tunedName } from './files.ts';
import type { Published } from './published.ts';
import type { Wishes } from './wishes.ts';

export interface Safety {
  /** Everything that happened on a member, as its store tells it. */
  readonly seen: (cluster: string, event: StoreEvent) => void;
  /** A person is about to remove an object (or a namespace with all that is in it); what follows is not ours. */
  removedByPerson(cluster: string, namespace: string, name?: string): void;
  /** A person made an object that is nobody else's to remove: `cluster/namespace/name`. */
  made(object: string): void;
  /**
   * The cluster refused what one daemon asked of it for an app, or for all. Then that daemon takes what the cluster should hold
   * for not applied, and as in KubeFleet a cluster where something could not be applied is free to go on.
   */
  refused(refusal: { readonly cluster: string; readonly app: string | undefined; readonly by: number }): void;
  /** A member hides what happens there, or tells it late: for so long, and a watch that has gone silent for a while after. */
  troubled(cluster: string, seconds: number): void;
  /** Images of an app that were approved. */
  approved(app: string, images: readonly string[]): void;
  /** Another, empty cluster answers under this name. */
  replaced(cluster: string): void;
  readonly foreign: ReadonlySet<string>;
  /** A placement is about to be removed. */
  dropped(app: App): void;
  readonly broken: string[];
}

interface Watching {
  readonly desired: Desired;
  readonly record: Published;
  readonly now: () => number;
  /** Where what breaks a rule is told. */
  readonly broken: string[];
  readonly wishes: Wishes;
  /** Whether every daemon has long been told to apply an app so. */
  readonly knows: (app: string, apply: App['apply']) => boolean;
}

interface Span {
  readonly from: number;
  readonly until: number;
  /** The daemon that saw it; absent where everybody could. */
  readonly by?: number;
}

/** What went wrong this long before a decision is taken to have been known: a slow member is heard of that late. */
const knownMs = 60_000;

const sharedKey = 'rbac.authorization.k8s.io/clusterroles';

export const foreignNote = 'team.example.com/note';

/**
 * The rules that hold at every step whatever goes wrong, told from what members store, what people committed and what the
 * status branch reported: no code of the planner or of the guard is asked.
 */
export function safety({ desired, record, now, broken, wishes, knows }: Watching): Safety {
  /** Version and override that a cluster last had from us. */
  const last = new Map<string, string>();
  /** What placements leave behind that are gone. */
  const left = new Set<string>();
  const newest = new Map<string, number>();
  /** Why a Deployment that should be there is not available. */
  const down = new Map<string, 'us' | 'others' | 'new'>();
  const up = new Set<string>();
  /** When something was wrong with an app on a cluster: it was not available, or not taken; milliseconds. */
  const wrong = new Map<string, readonly Span[]>();
  const wrongSince = new Map<string, number>();
  const troubles = new Map<string, readonly Span[]>();
  /** Apps that asked for what another one got, by cluster: there they are not applied, until their next version. */
  const without = new Map<string, ReadonlySet<string>>();
  const personal = new Set<string>();
  const foreign = new Set<string>();
  const approved = new Set<string>();

  function deployment(cluster: string, app: App, event: StoreEvent): void {
    const at = `${app.name}/${cluster}`;
    const before = event.before && versionOf(event.before);
    const after = event.type === 'DELETED' ? undefined : versionOf(event.object);
    const leaving = event.type === 'DELETED' || event.object.metadata.deletionTimestamp !== undefined;
    const begins = leaving && !event.before?.metadata.deletionTimestamp;
    const wasUp = up.has(at);
    const changes = after !== undefined && revisionOf(event.object) !== (event.before && revisionOf(event.before));
    if (changes) {
      if (event.before && before === undefined) leavesDrift(cluster, app, event);
      brought(cluster, app, after, wasUp && before !== undefined);
      last.set(at, revisionOf(event.object));
    }
    if (begins) {
      up.delete(at);
      if (isPersonal(cluster, app.name, 'web') || record.wasEvicted(app.name, cluster)) down.set(at, 'others');
      else {
        down.delete(at);
        keepsWanted(cluster, app);
        if (wasUp && seemedWell(app.name, cluster)) keepsBudgets(cluster, app, 'removed');
      }
      return;
    }
    if (leaving) return;
    if (isAvailable(event.object)) {
      up.add(at);
      down.delete(at);
    } else if (!down.has(at)) {
      const ours = changes && before !== undefined;
      down.set(at, ours ? 'us' : event.type === 'ADDED' ? 'new' : 'others');
      up.delete(at);
    }
  }

  /** What others made of an object that was applied stays where all daemons were told to leave it. */
  function leavesDrift(cluster: string, app: App, { before, object }: StoreEvent): void {
    const wasOurs = before?.metadata.labels?.[placementLabel] === app.name;
    const isSame = last.get(`${app.name}/${cluster}`) === revisionOf(object);
    if (wasOurs && isSame && knows(app.name, 'ifNotDrifted'))
      broken.push(`${app.name} on ${cluster} was repaired, although what differs is to stay`);
  }

  /** Nobody but people removes what a cluster has been told to keep for so long that nothing older is on its way. */
  function keepsWanted(cluster: string, app: App): void {
    const since = record.wantedSince(app.name, cluster);
    if (since !== undefined && since < now() - knownMs && !desired.left.has(cluster))
      broken.push(`${app.name} was removed on ${cluster}, which was to keep it`);
  }

  /** We put a version on a cluster. */
  function brought(cluster: string, app: App, version: number, disturbs: boolean): void {
    const at = `${app.name}/${cluster}`;
    if (version < (newest.get(at) ?? 0))
      broken.push(`${app.name} on ${cluster} went back from version ${newest.get(at)} to ${version}`);
    newest.set(at, Math.max(version, newest.get(at) ?? 0));
    const image = `app:${version}`;
    if (!record.knows(app.name, image))
      broken.push(`${app.name} version ${version} came to ${cluster} before it was recorded`);
    const gated = app.external && desired.clusters.get(cluster)?.env === 'prod';
    if (gated && !record.ungated(app.name, image, cluster) && !approved.has(`${app.name}/${image}`))
      broken.push(`${app.name} version ${version} came to ${cluster} before anybody approved it`);
    if (!disturbs) return;
    const well = seemedWell(app.name, cluster) && !wasCompared(app.name, cluster);
    up.delete(at);
    // Free to go on, since something else was wrong there: by the time others follow it is down for that, not for us.
    down.set(at, well ? 'us' : 'others');
    if (well) keepsBudgets(cluster, app, `changed to version ${version}`);
  }

  /**
   * Where something was known to be wrong, nothing was lost by what was known: such a cluster is free to go on. What a
   * daemon sees it decides by at once, before the record tells it; so what went wrong since the record told that all was
   * well may have been known, too. And of two daemons one may be shown something older by a member that has trouble. An app
   * that cannot have what another one has is not applied.
   */
  function seemedWell(app: string, cluster: string): boolean {
    if (without.get(cluster)?.has(app)) return false;
    const { available, since, at, by, doubtedAt } = record.decided(app, cluster);
    if (doubtedAt >= at - knownMs && hadTrouble(cluster, doubtedAt, at)) return false;
    const from = Math.max(since, at - knownMs);
    const key = `${app}/${cluster}`;
    const still = wrongSince.get(key);
    const spans: Span[] = [...(wrong.get(key) ?? []), ...(still === undefined ? [] : [{ from: still, until: now() }])];
    const seen = spans.filter((span) => span.by === undefined || span.by === by);
    return available && !seen.some((span) => span.from <= at && span.until >= from);
  }

  /**
   * While an app is only compared its rollout goes on, since nothing is lost by that; and a change of how it is applied comes
   * to all clusters at once (KubeFleet rollout/controller.go).
   */
  const wasCompared = (app: string, cluster: string): boolean =>
    record.commitsSince(app, cluster).some((commit) => wishes.at(commit, app)?.apply === 'reportDiff');

  const hadTrouble = (cluster: string, from: number, until: number): boolean =>
    (troubles.get(cluster) ?? []).some((span) => span.from <= until && span.until + knownMs >= from);

  /** From now on something is wrong, if it was not before; or no longer. */
  function goes(at: string, how: 'wrong' | 'well'): void {
    const from = wrongSince.get(at);
    if (how === 'wrong') wrongSince.set(at, from ?? now());
    else if (from !== undefined) {
      wrong.set(at, [...(wrong.get(at) ?? []), { from, until: now() }]);
      wrongSince.delete(at);
    }
  }

  function keepsBudgets(cluster: string, app: App, what: string): void {
    if (desired.left.has(cluster)) return;
    const clusters = new Set([...desired.clusters.keys(), ...record.bound(app.name)]);
    const available = [...clusters].filter((name) => up.has(`${app.name}/${name}`)).length;
    // A member that left after it was decided took away what it held: that is nobody's doing but theirs who sent it off.
    const gone = [...record.boundSince(app.name, cluster)].filter((it) => desired.left.has(it) && !clusters.has(it));
    // What was known to be down when this was decided had taken its part of the budget. Where the record was lost nobody
    // knows that a cluster was to hold more than it was found with.
    const { reportedDown, asFound, commit } = record.decided(app.name, cluster);
    const isExcused = (name: string): boolean =>
      !reportedDown.has(name) &&
      (down.get(`${app.name}/${name}`) === 'others' || (asFound.has(name) && !up.has(`${app.name}/${name}`)));
    const excused = [...clusters].filter(isExcused).length + gone.length;
    const told = `${app.name} was ${what} on ${cluster}, which left ${available} available and ${excused} down for other reasons`;
    const budget = wishes.at(commit, app.name)?.budget;
    // Where objects are only compared, disruptions are free, as in KubeFleet.
    if (budget?.inRollouts && !wasCompared(app.name, cluster) && available + excused < budget.minAvailable)
      broken.push(`${told}, where its budget asks for ${budget.minAvailable}`);
    if (app.external) return;
    const bound = record.fewest(app.name, cluster);
    const wanted = app.policy.kind === 'PickN' ? Math.min(app.policy.count, bound) : bound;
    const mayBeDown = mostDown(app, wanted);
    if (available + excused < wanted - mayBeDown)
      broken.push(`${told}, of ${wanted} with at most ${mayBeDown} unavailable`);
  }

  const isPersonal = (cluster: string, namespace: string, name: string): boolean =>
    personal.delete(`${cluster}/${namespace}/${name}`) || personal.has(`${cluster}/${namespace}`);

  function removed(cluster: string, event: StoreEvent): void {
    const { namespace = '', name } = event.object.metadata;
    const key = `${cluster}/${namespace}/${name}`;
    if (event.key === '/namespaces') {
      personal.delete(`${cluster}/${name}`);
      return;
    }
    if (!foreign.delete(key)) return;
    if (!isPersonal(cluster, namespace, name)) broken.push(`${key} is not ours and was removed`);
  }

  /** Who has what several ask for keeps it as long as it asks for it. */
  function changedHands(cluster: string, { before, object }: StoreEvent): void {
    const [owner, next] = [before, object].map((of) => of?.metadata.labels?.[placementLabel]);
    if (owner === undefined || next === undefined || owner === next) return;
    if (desired.apps.get(owner)?.shared && record.bound(owner).includes(cluster))
      broken.push(`${next} took on ${cluster} what ${owner} has`);
  }

  /** What a placement has that is gone and was to leave it stays. */
  function leavesBehind(cluster: string, { type, before, object }: StoreEvent): void {
    const { namespace = '', name } = object.metadata;
    const isGone = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
    if (!isGone || before?.metadata.deletionTimestamp || !left.delete(`${cluster}/${namespace}`)) return;
    const wasThere = (commit: string | undefined) => wishes.isThere(commit, namespace);
    if (!isPersonal(cluster, namespace, name) && !record.isLeaving(namespace, cluster, wasThere))
      broken.push(`${namespace} was removed on ${cluster}, where it was to be left`);
  }

  return {
    broken,
    foreign,
    seen(cluster, event) {
      const { namespace = '', name } = event.object.metadata;
      if (event.type === 'DELETED') removed(cluster, event);
      const note = event.before?.metadata.annotations?.[foreignNote];
      if (event.type === 'MODIFIED' && note !== undefined && !event.object.metadata.annotations?.[foreignNote])
        broken.push(`${cluster}/${namespace}/${name} lost an annotation that is not ours`);
      if (event.key === sharedKey && event.type === 'MODIFIED') changedHands(cluster, event);
      if (event.key === sharedKey && event.type === 'ADDED') {
        const owner = event.object.metadata.labels?.[placementLabel];
        const asking = [...desired.apps.values()].filter(({ shared, name: app }) => shared && app !== owner);
        without.set(cluster, new Set(asking.map(({ name: app }) => app)));
      }
      if (event.key !== 'apps/deployments' || name !== 'web') return;
      const app = desired.apps.get(namespace);
      if (!app) return leavesBehind(cluster, event);
      deployment(cluster, app, event);
      // Last: what we do now goes wrong only by having been done. What has lost our label is as gone to a watch as what was deleted.
      const isKnown = event.object.metadata.labels?.[placementLabel] === app.name;
      const isWell = isKnown && up.has(`${app.name}/${cluster}`) && tellsItsGeneration(event.object);
      goes(`${app.name}/${cluster}`, isWell ? 'well' : 'wrong');
    },
    removedByPerson(cluster, namespace, name) {
      personal.add(name === undefined ? `${cluster}/${namespace}` : `${cluster}/${namespace}/${name}`);
    },
    made: (object) => foreign.add(object),
    refused({ cluster, app, by }) {
      for (const name of app === undefined ? desired.apps.keys() : [app]) {
        const key = `${name}/${cluster}`;
        wrong.set(key, [...(wrong.get(key) ?? []), { from: now(), until: now(), by }]);
      }
    },
    troubled(cluster, seconds) {
      const span = { from: now(), until: now() + seconds * 1000 };
      troubles.set(cluster, [...(troubles.get(cluster) ?? []), span]);
    },
    dropped(app) {
      const kept = [...desired.clusters.keys()].filter((cluster) => {
        const since = record.wantedSince(app.name, cluster);
        return since !== undefined && since < now() - knownMs && up.has(`${app.name}/${cluster}`);
      });
      if (app.abandons) for (const cluster of kept) left.add(`${cluster}/${app.name}`);
    },
    approved(app, images) {
      for (const image of images) approved.add(`${app}/${image}`);
    },
    replaced(cluster) {
      for (const key of [...left]) if (key.startsWith(`${cluster}/`)) left.delete(key);
      for (const key of [...foreign]) if (key.startsWith(`${cluster}/`)) foreign.delete(key);
      for (const app of desired.apps.keys()) {
        if (up.delete(`${app}/${cluster}`)) down.set(`${app}/${cluster}`, 'others');
      }
    },
  };
}

/** So many of the clusters that it is asked for may be down while it rolls out. */
export const mostDown = ({ maxUnavailable }: App, wanted: number): number =>
  typeof maxUnavailable === 'number' ? maxUnavailable : Math.ceil((wanted * Number.parseInt(maxUnavailable, 10)) / 100);

interface Container {
  readonly image?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

interface LooseDeployment {
  readonly metadata: { readonly generation?: number };
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly spec?: { readonly containers?: readonly Container[] } };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

/** Version and override of a Deployment: what is not ours has none of the first. */
const revisionOf = (object: object): string => `${versionOf(object)} ${tunedOf(object)}`;

/** What an override has put there. */
export function tunedOf(object: object): string | undefined {
  const env = (object as LooseDeployment).spec?.template?.spec?.containers?.[0]?.env;
  return env?.find(({ name }) => name === tunedName)?.value;
}

/** Version of an image of ours; undefined for what a person put in its place. */
export function versionOf(object: object): number | undefined {
  const image = (object as LooseDeployment).spec?.template?.spec?.containers?.[0]?.image;
  const version = /^app:(\d+)$/.exec(image ?? '')?.[1];
  return version === undefined ? undefined : Number(version);
}

/** As in KubeFleet a status of another generation, also of one that is not there yet, counts as none. */
function tellsItsGeneration(object: object): boolean {
  const { metadata, status } = object as LooseDeployment;
  return status?.observedGeneration === metadata.generation;
}

/** As people read `kubectl get deployment`: everything asked for is there, new, and available. */
export function isAvailable(object: object): boolean {
  const { metadata, spec, status } = object as LooseDeployment;
  const replicas = spec?.replicas ?? 1;
  return (
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    (status?.updatedReplicas ?? 0) >= replicas &&
    (status?.availableReplicas ?? 0) >= replicas
  );
}
