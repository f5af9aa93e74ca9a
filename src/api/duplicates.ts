import { error, type IssueAt } from './issue.ts';
import { type FleetObject, kindOf } from './kinds.ts';

/**
 * Objects with the name of another one of the same kind, or of the kind that shares its names. Each is reported with the first of that
 * name, since either may be the intended one.
 */
export function duplicates(objects: readonly FleetObject[]): IssueAt[] {
  const first = new Map<string, number>();
  return objects.flatMap((object, index): IssueAt[] => {
    const keys = keysOf(object);
    const other = keys.map((key) => first.get(key)).find((at) => at !== undefined);
    if (other !== undefined) return [{ index, other, issue: duplicateOf(object, objects[other]!) }];
    for (const key of keys) first.set(key, index);
    return [];
  });
}

function keysOf(object: FleetObject): string[] {
  const { isSingle, sharesNamesIn: shared } = kindOf(object);
  if (isSingle) return [object.kind];
  return [titleOf(object), ...(shared === undefined ? [] : [`${shared}/${dotted(object)}`])];
}

function duplicateOf(object: FleetObject, first: FleetObject): IssueAt['issue'] {
  const issue = (message: string, fix: string) => error('duplicate-object', ['metadata'], message, fix);
  if (kindOf(object).isSingle) return issue(`a fleet has one ${object.kind}`, 'keep one of them');
  if (object.kind === first.kind) return issue(`${titleOf(object)} is defined in two places`, 'keep one of them');
  return issue(
    `${titleOf(object)} and ${titleOf(first)} are both ${dotted(object)} on the status branch and in labels`,
    'give one of them another name',
  );
}

const titleOf = ({ kind, metadata: { name = '', namespace } = {} }: FleetObject): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`;

const dotted = ({ metadata: { name = '', namespace } = {} }: FleetObject): string =>
  `${namespace ? `${namespace}.` : ''}${name}`;
