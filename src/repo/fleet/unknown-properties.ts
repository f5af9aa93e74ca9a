import type { Problem } from '../../api/problem.ts';
import { nearest } from '../../api/syntax.ts';
import { type Fleet, sourceKey } from '../../engine/input.ts';
import {
  canonicalPropertyName,
  informationalProperties,
  isResourceEnding,
  memberProperties,
  resourcePrefix,
  wellKnownProperties,
} from '../../engine/placement/properties.ts';

/**
 * Properties that a policy asks for and no cluster reports, since the name lacks its prefix or has another's, or about which
 * nothing can be asked. KubeFleet takes any name, and then no cluster matches: warnings. Nothing is said of a name of somebody's
 * own that has a prefix, nor of one that a cluster of the repo has.
 */
export function unknownProperties({ placements, members, sources }: Fleet): Problem[] {
  const given = new Set(members.flatMap((member) => Object.keys(memberProperties(member, member.status ?? {}))));
  return placements.flatMap((placement) => {
    const { kind, metadata } = placement;
    return propertiesAsked(placement).flatMap(({ name, path }): Problem[] => {
      const fault = given.has(canonicalPropertyName(name)) ? undefined : faultOf(canonicalPropertyName(name));
      if (fault === undefined) return [];
      const { why, fix } = fault;
      const place = { ...sources?.get(sourceKey(kind, metadata)), path, message: `${kind} ${metadata.name}: ${why}` };
      return [{ severity: 'warning', code: 'unknown-property', ...place, ...(fix !== undefined && { fix }) }];
    });
  });
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

function propertiesAsked({ spec }: Fleet['placements'][number]): { readonly name: string; readonly path: string }[] {
  const affinity = spec.policy.affinity?.clusterAffinity;
  const path = 'spec.policy.affinity.clusterAffinity';
  return [
    ...(affinity?.[required]?.clusterSelectorTerms ?? []).flatMap(({ propertySelector }, term) =>
      (propertySelector?.matchExpressions ?? []).map(({ name }, at) => ({
        name,
        path: `${path}.${required}.clusterSelectorTerms.${term}.propertySelector.matchExpressions.${at}.name`,
      })),
    ),
    ...(affinity?.[preferred] ?? []).flatMap(({ preference: { propertySorter } }, term) =>
      propertySorter === undefined
        ? []
        : [{ name: propertySorter.name, path: `${path}.${preferred}.${term}.preference.propertySorter.name` }],
    ),
  ];
}

const endingOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
/** Under these KubeFleet's providers report what is well-known, and nothing else. */
const prefixes = new Set(wellKnownProperties.map((name) => name.slice(0, name.lastIndexOf('/'))));

function faultOf(name: string): { readonly why: string; readonly fix?: string } | undefined {
  if (informationalProperties.includes(name)) return { why: `property ${name} is no quantity: no cluster can match` };
  if (wellKnownProperties.includes(name) || name.startsWith(resourcePrefix)) return undefined;
  const like = wholeName(name);
  const slash = name.lastIndexOf('/');
  if (like === undefined && slash >= 0 && !prefixes.has(name.slice(0, slash))) return undefined;
  return {
    why: `no cluster reports a property ${name}`,
    fix: like === undefined ? `write a whole name, such as ${wellKnownProperties[0]}` : `did you mean ${like}?`,
  };
}

/** The well-known property that ends so, or nearly so. */
function wholeName(name: string): string | undefined {
  const ending = endingOf(name);
  if (isResourceEnding(ending)) return `${resourcePrefix}${ending}`;
  const like = nearest(ending, wellKnownProperties.map(endingOf));
  const isOwn = name.includes('/') && !prefixes.has(name.slice(0, name.lastIndexOf('/')));
  return like === undefined || (isOwn && like !== ending)
    ? undefined
    : wellKnownProperties.find((known) => endingOf(known) === like);
}
