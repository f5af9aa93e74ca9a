import type { PlanInput } from '../../engine/input.ts';
import { surveyMembers } from '../../engine/placement/members.ts';
import {
  canonicalPropertyName,
  informationalProperties,
  wellKnownProperties,
} from '../../engine/placement/properties.ts';
import { CliError } from '../terminal/exit.ts';
import { unknownName } from '../terminal/unknown-name.ts';

/**
 * The full name of a property: as written when some cluster has it or some policy uses it, else the only known property with
 * that ending (`available-cpu`). Errors: CliError when none or several have it.
 */
export function propertyMeant(name: string, input: PlanInput): string {
  const written = canonicalPropertyName(name);
  const known = [...knownProperties(input)].sort();
  if (known.includes(written)) return written;
  const ending = known.filter((full) => full.endsWith(`/${written}`));
  if (ending.length === 1) return ending[0]!;
  if (ending.length > 1) throw new CliError(`--property ${name} may mean ${ending.join(' or ')}: write the whole name`);
  const short = known.map((full) => full.slice(full.lastIndexOf('/') + 1));
  throw unknownName({
    what: 'property',
    name,
    known: name.includes('/') ? known : [...new Set(short)],
    flag: '--property',
  });
}

function knownProperties(input: PlanInput): Set<string> {
  const known = new Set([...wellKnownProperties, ...informationalProperties]);
  for (const member of surveyMembers(input)) for (const name of Object.keys(member.properties)) known.add(name);
  for (const { spec } of input.fleet.placements) {
    const affinity = spec.policy.affinity?.clusterAffinity;
    const terms = [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution?.clusterSelectorTerms ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ preference }) => preference),
    ];
    for (const { propertySelector, propertySorter } of terms) {
      for (const { name } of propertySelector?.matchExpressions ?? []) known.add(canonicalPropertyName(name));
      if (propertySorter) known.add(canonicalPropertyName(propertySorter.name));
    }
  }
  return known;
}
