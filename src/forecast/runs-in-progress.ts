import type { ClusterName } from '../api/meta.ts';
import type { UpdateRun } from '../api/upgrade-run.ts';
import type { PlanInput } from '../engine/input.ts';
import { parseInstant } from '../engine/kernel/instant.ts';
import type { PlanResult } from '../engine/plan.ts';
import { plannedUpgradeRuns } from '../engine/plan-document.ts';
import { providerAnnotation, upgradeProviderNamed } from '../engine/upgrade/member-annotations.ts';
import { targetOfMember } from '../engine/upgrade/target-of-member.ts';
import { allMembers, isTerminal } from '../engine/upgrade/tree.ts';
import type { UpgradeMember } from '../engine/upgrade/upgrades-input.ts';
import { upgradesInput } from '../engine/upgrade/upgrades-outcome.ts';
import { wantedBy } from '../engine/upgrade/wanted.ts';
import type { WantedUpgrade } from '../engine/upgrade/wanted-upgrade.ts';
import { seenFirst, upgraded } from './simulated-upgrades.ts';

/** More operations than any chain of minors has. */
const mostHops = 20;

/**
 * What members run once these cluster update runs are done, without the time that it takes: a run of a change may build on one that
 * takes weeks. `done`: those that have members left to upgrade.
 */
export function withRunsDone(
  input: PlanInput,
  {
    settled,
    runs,
    joining,
  }: { readonly settled: PlanResult; readonly runs: readonly UpdateRun[]; readonly joining: ReadonlySet<ClusterName> },
): { readonly input: PlanInput; readonly done: readonly string[] } {
  const upgrades = upgradesInput(settled.contents.world);
  const { members, catalogOf } = upgrades;
  const statuses = new Map(plannedUpgradeRuns(settled.plan).map(({ name, status }) => [name, status]));
  const nowMs = parseInstant(input.now)!;
  const seen = new Map(seenFirst(input, joining));
  const done = new Set<string>();

  function finish(member: UpgradeMember, wanted: WantedUpgrade): boolean {
    if (upgradeProviderNamed(member.annotations[providerAnnotation]) === undefined) return false;
    const before = seen.get(member.name);
    let versions = before?.versions;
    for (let hop = 0; hop < mostHops; hop++) {
      const target = targetOfMember(wanted, { versions, region: member.region, catalog: catalogOf(member), nowMs });
      if (target.kind !== 'start') break;
      versions = upgraded(versions ?? {}, { ...target.to, pools: target.to.pools.map((pool) => ({ ...pool })) });
      if (!target.hop) break;
    }
    if (before === undefined || versions === before.versions) return false;
    seen.set(member.name, { ...before, ...(versions && { versions }) });
    return true;
  }

  for (const run of runs) {
    const { name } = run.metadata;
    const status = statuses.get(name);
    if (status === undefined || isTerminal(status)) continue;
    const wanted = wantedBy(run.spec.managedClusterUpdate, { run, status }, upgrades);
    for (const upgrade of allMembers(status)) {
      const member = members.get(upgrade.name);
      if (member && !isTerminal(upgrade) && finish(member, wanted)) done.add(name);
    }
  }
  return done.size === 0 ? { input, done: [] } : { input: { ...input, upgradeObservations: seen }, done: [...done] };
}
