import type { ClusterName } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import type { Member, MemberEvents } from '../members/member.ts';
import { unobserved } from '../members/observation.ts';
import { sameClusterFix, sameClusters, sameClusterText } from '../members/same-cluster.ts';

/**
 * Members that are one cluster, whose actors would undo each other's changes: while there are several, each counts as not responding and
 * nothing is changed there.
 */
export interface MembersApart {
  readonly identified: MemberEvents['identified'];
  /** The member as the fleet sees it. */
  opened(member: Member): Member;
  /** The others left the fleet. */
  keepOnly(names: ReadonlyMap<ClusterName, unknown>): void;
}

export function membersApart(changed: MemberEvents['changed']): MembersApart {
  const clusters = sameClusters();
  const members = new Map<ClusterName, BarredMember>();

  function update(names: readonly ClusterName[]): void {
    for (const name of names) members.get(name)?.bar(clusters.othersOf(name));
  }

  return {
    identified: (name, identity) => update(clusters.set(name, identity)),
    opened(member) {
      const barred = barredMember(member, changed);
      members.set(member.name, barred);
      // It may have been open before, with another interval of heartbeats.
      update([member.name]);
      return barred;
    },
    keepOnly(names) {
      for (const name of members.keys()) {
        if (names.has(name)) continue;
        members.delete(name);
        update(clusters.set(name, undefined));
      }
    },
  };
}

interface BarredMember extends Member {
  /** Bars it while it is the same cluster as others. */
  bar(others: readonly ClusterName[]): void;
}

function barredMember(member: Member, changed: MemberEvents['changed']): BarredMember {
  const { name } = member;
  let instead: ClusterObservation | undefined;
  return {
    ...member,
    bar(others) {
      const cause = others.length === 0 ? undefined : `${sameClusterText(others)}: ${sameClusterFix}`;
      if (cause === instead?.cause) return;
      const { observedAt } = instead ?? member.observation();
      instead = cause === undefined ? undefined : { ...unobserved(name, undefined, cause), observedAt };
      // What is there once it is alone again is unknown, so it must not be read as nothing.
      member.assign(undefined);
      changed(name, cause && `${name}: nothing is changed there, since ${cause}`, cause !== undefined);
    },
    assign(...assigned) {
      if (instead === undefined) member.assign(...assigned);
    },
    observation: () => instead ?? member.observation(),
    unreachable: () => instead?.cause ?? member.unreachable(),
    idle: () => instead !== undefined || member.idle(),
  };
}
