import { type HostPort, portsCollide } from '../../node-pools/host-ports.ts';
import type { Amounts } from '../../node-pools/resources.ts';
import type { ClusterNode } from '../cluster/cluster-nodes.ts';
import type { PodClass } from './pod-class.ts';
import type { Volumes } from './volumes.ts';

/** What a node has too little of for a pod. */
export type Shortage = 'resources' | 'host-ports' | 'volumes';

/** What pods use of each node. */
export interface Occupancy {
  /** Adds a pod, or with −1 takes away the one that was added last. */
  readonly use: (cls: PodClass, node: number, by: 1 | -1) => void;
  /** What of the node leaves no room for a pod; undefined = it has room. */
  readonly shortageOf: (cls: PodClass, node: number) => Shortage | undefined;
}

export function occupancy(
  nodes: readonly Pick<ClusterNode, 'name' | 'allocatable'>[],
  {
    resources,
    volumes,
    reserved,
  }: {
    readonly resources: readonly string[];
    readonly volumes: Volumes;
    /** By node: what is kept free for others. */
    readonly reserved: readonly Amounts[];
  },
): Occupancy {
  const width = resources.length;
  const free = new Float64Array(nodes.length * width);
  const ports = new Map<number, HostPort[]>();
  const attached = new Map<number, Map<string, Map<string, number>>>();
  nodes.forEach((node, at) => {
    resources.forEach((name, r) => {
      const room = node.allocatable.get(name) ?? (name === 'pods' ? Number.POSITIVE_INFINITY : 0);
      free[at * width + r] = room - (reserved[at]!.get(name) ?? 0);
    });
  });

  function use(cls: PodClass, at: number, by: 1 | -1): void {
    for (let r = 0; r < width; r++) free[at * width + r]! -= by * cls.needs[r]!;
    if (cls.hostPorts.length > 0) {
      const list = ports.get(at) ?? [];
      ports.set(at, by > 0 ? [...list, ...cls.hostPorts] : list.slice(0, list.length - cls.hostPorts.length));
    }
    for (const { driver, id } of cls.volumes) {
      const drivers = attached.get(at) ?? new Map<string, Map<string, number>>();
      const ids = drivers.get(driver) ?? new Map<string, number>();
      const times = (ids.get(id) ?? 0) + by;
      if (times === 0) ids.delete(id);
      else ids.set(id, times);
      drivers.set(driver, ids);
      attached.set(at, drivers);
    }
  }

  function hasRoom(cls: PodClass, at: number): boolean {
    const from = at * width;
    for (let r = 0; r < width; r++) if (cls.needs[r]! > 0 && cls.needs[r]! > free[from + r]!) return false;
    return true;
  }

  function hasFreePorts(cls: PodClass, at: number): boolean {
    if (cls.hostPorts.length === 0) return true;
    const taken = ports.get(at) ?? [];
    return !cls.hostPorts.some((port) => taken.some((other) => portsCollide(port, other)));
  }

  function hasRoomForVolumes(cls: PodClass, at: number): boolean {
    for (const { driver, id } of cls.volumes) {
      const limit = volumes.limitOf(nodes[at]!.name, driver);
      const ids = attached.get(at)?.get(driver);
      if (limit !== undefined && !ids?.has(id) && (ids?.size ?? 0) + 1 > limit) return false;
    }
    return true;
  }

  return {
    use,
    shortageOf(cls, at) {
      if (!hasRoom(cls, at)) return 'resources';
      if (!hasFreePorts(cls, at)) return 'host-ports';
      return hasRoomForVolumes(cls, at) ? undefined : 'volumes';
    },
  };
}
