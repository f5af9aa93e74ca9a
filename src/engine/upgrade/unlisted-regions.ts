import type { Problem } from '../../api/problem.ts';
import { shortList } from '../kernel/short-list.ts';
import { providerAnnotation } from './member-annotations.ts';
import { type RunContext, type RunStep, withProblem } from './run-context.ts';
import { allMembers, isTerminal } from './tree.ts';
import type { UpgradeMember } from './upgrades-input.ts';

/**
 * Warns of members that the run still has to upgrade and that no VersionCatalog restricts, although there are catalogs for their
 * provider: a label may be missing or misspelt.
 */
export function withUnlistedRegions(step: RunStep, context: RunContext): RunStep {
  const { versionCatalogs, members } = context.input;
  const listed = new Set(versionCatalogs.flatMap(({ spec }) => spec.regions.map(({ name }) => name)));
  if (listed.size === 0) return step;
  const isUnlisted = ({ region, isObserved, lastVersions, annotations }: UpgradeMember): boolean => {
    if (region === undefined ? isObserved && lastVersions === undefined : listed.has(region)) return false;
    const provider = annotations[providerAnnotation];
    return versionCatalogs.some(({ spec }) => spec.provider === undefined || spec.provider === provider);
  };
  const names = allMembers(step.status).flatMap((of) => {
    const member = isTerminal(of) ? undefined : members.get(of.name);
    return member && isUnlisted(member) ? [`${of.name} (${member.region ?? 'unknown'})`] : [];
  });
  if (names.length === 0) return step;
  const problem: Problem = {
    severity: 'warning',
    code: 'unlisted-region',
    message: `no VersionCatalog lists the region of ${shortList(names)}: nothing is known of versions and node images there, so they restrict nothing`,
    fix: 'set the label topology.kubernetes.io/region of the MemberCluster, or add its region to a VersionCatalog',
  };
  return withProblem(step, context, problem);
}
