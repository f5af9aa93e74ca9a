import type { Placement } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import { nearest } from '../../api/syntax.ts';
import type { Fleet } from '../../engine/input.ts';
import {
  canonicalPropertyName,
  informationalProperties,
  isResourceEnding,
  memberProperties,
  resourcePrefix,
  wellKnownProperties,
} from '../../engine/placement/properties.ts';
import { fieldWarning } from './field-warning.ts';
import { selectorTerms } from './selector-terms.ts';

/**
 * Warnings about properties in policies that no cluster reports: the name lacks its prefix or has a wrong one, or the property is not a
 * quantity. KubeFleet accepts any name, and then no cluster matches. None for custom names with a prefix, nor for properties that a
 * cluster of the repo has.
 */
export function unknownProperties(fleet: Fleet): Problem[] {
  const { placements, members } = fleet;
  const given = new Set(members.flatMap((member) => Object.keys(memberProperties(member, member.status ?? {}))));
  return placements.flatMap((placement) => {
    const { kind, metadata } = placement;
    return propertiesAsked(placement).flatMap(({ name, path }): Problem[] => {
      const fault = given.has(canonicalPropertyName(name)) ? undefined : faultOf(canonicalPropertyName(name));
      if (fault === undefined) return [];
      return [fieldWarning(fleet, { kind, ...metadata }, { code: 'unknown-property', path, ...fault })];
    });
  });
}

const propertiesAsked = (placement: Placement): { readonly name: string; readonly path: string }[] =>
  selectorTerms(placement).flatMap(({ term: { propertySelector, propertySorter }, path }) => [
    ...(propertySelector?.matchExpressions ?? []).map(({ name }, at) => ({
      name,
      path: `${path}.propertySelector.matchExpressions.${at}.name`,
    })),
    ...(propertySorter === undefined ? [] : [{ name: propertySorter.name, path: `${path}.propertySorter.name` }]),
  ]);

const endingOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
/** Prefixes with only the well-known properties of KubeFleet's providers. */
const prefixes = new Set(wellKnownProperties.map((name) => name.slice(0, name.lastIndexOf('/'))));

function faultOf(name: string): { readonly why: string; readonly fix?: string } | undefined {
  if (informationalProperties.includes(name))
    return { why: `property ${name} is not a quantity: no cluster can match` };
  if (wellKnownProperties.includes(name) || name.startsWith(resourcePrefix)) return undefined;
  const like = wholeName(name);
  const slash = name.lastIndexOf('/');
  if (like === undefined && slash >= 0 && !prefixes.has(name.slice(0, slash))) return undefined;
  return {
    why: `no cluster reports a property ${name}`,
    fix: like === undefined ? `write a whole name, such as ${wellKnownProperties[0]}` : `did you mean ${like}?`,
  };
}

/** The well-known property with the same or a similar ending. */
function wholeName(name: string): string | undefined {
  const ending = endingOf(name);
  if (isResourceEnding(ending)) return `${resourcePrefix}${ending}`;
  const like = nearest(ending, wellKnownProperties.map(endingOf));
  const isOwn = name.includes('/') && !prefixes.has(name.slice(0, name.lastIndexOf('/')));
  return like === undefined || (isOwn && like !== ending)
    ? undefined
    : wellKnownProperties.find((known) => endingOf(known) === like);
}
