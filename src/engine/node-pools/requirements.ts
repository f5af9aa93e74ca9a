/**
 * What labels are allowed, by key: Karpenter's requirements (core `pkg/scheduling/requirements.go`). Several on one key are intersected.
 */
export interface Requirement {
  /** Allowed values, or with `complement` those that are not. */
  readonly values: ReadonlySet<string>;
  readonly complement: boolean;
  /** Integers only. Undefined = no bound. */
  readonly least: number | undefined;
  readonly most: number | undefined;
  /** The label must not be there. */
  readonly absent: boolean;
  /** A node without the label is accepted: NotIn and DoesNotExist. */
  readonly absentOk: boolean;
  readonly minValues: number | undefined;
}

export type Requirements = ReadonlyMap<string, Requirement>;

/** As files write one; the operators of node selectors among them. */
export interface WrittenRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
  readonly minValues?: number | undefined;
}

/** Old names of labels (core `pkg/apis/v1/labels.go`, NormalizedLabels). */
const normalisedKeys: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

export const normalisedKey = (key: string): string => normalisedKeys.get(key) ?? key;

const anything: Requirement = {
  values: new Set(),
  complement: true,
  least: undefined,
  most: undefined,
  absent: false,
  absentOk: true,
  minValues: undefined,
};

export function requirementsOf(written: readonly WrittenRequirement[]): Requirements {
  const found = new Map<string, Requirement>();
  for (const one of written) {
    const key = normalisedKey(one.key);
    const before = found.get(key);
    const next = requirementOf(one);
    found.set(key, before ? intersection(before, next) : next);
  }
  return found;
}

function requirementOf({ operator, values = [], minValues }: WrittenRequirement): Requirement {
  const [first] = values;
  switch (operator) {
    case 'In':
      return { ...anything, values: new Set(values), complement: false, absentOk: false, minValues };
    case 'NotIn':
      return { ...anything, values: new Set(values), minValues };
    case 'Exists':
      return { ...anything, absentOk: false, minValues };
    case 'DoesNotExist':
      return { ...anything, complement: false, absent: true };
    case 'Gt':
      return { ...anything, least: Number(first) + 1, absentOk: false, minValues };
    case 'Gte':
      return { ...anything, least: Number(first), absentOk: false, minValues };
    case 'Lt':
      return { ...anything, most: Number(first) - 1, absentOk: false, minValues };
    case 'Lte':
      return { ...anything, most: Number(first), absentOk: false, minValues };
    default:
      // An unknown operator matches no value.
      return { ...anything, complement: false, absentOk: false };
  }
}

export function intersection(a: Requirement, b: Requirement): Requirement {
  const least = greatest(a.least, b.least);
  const most = smallest(a.most, b.most);
  const both = { least, most, minValues: greatest(a.minValues, b.minValues) };
  const absent = a.absent || b.absent;
  const absentOk = a.absentOk && b.absentOk;
  if (a.complement && b.complement)
    return { ...both, values: new Set([...a.values, ...b.values]), complement: true, absent, absentOk };
  const [listed, other] = a.complement ? [b, a] : [a, b];
  const values = [...listed.values].filter((value) => other.complement !== other.values.has(value));
  return { ...both, values: new Set(values), complement: false, absent, absentOk };
}

const greatest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b);
const smallest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);

/** What two requirements on a label that is still to be set both allow; undefined where that is nothing. */
export function common(own: Requirement, other: Requirement): Requirement | undefined {
  const both = intersection(own, other);
  return (both.absent ? both.absentOk : both.absentOk || someValue(both) !== undefined) ? both : undefined;
}

/** Whether a label with this value is allowed. */
export function allowsValue({ values, complement, least, most, absent }: Requirement, value: string): boolean {
  if (absent) return false;
  if (complement === values.has(value)) return false;
  if (least === undefined && most === undefined) return true;
  // Gt and its like know integers only.
  if (!/^-?\d+$/.test(value)) return false;
  const number = Number(value);
  return (least === undefined || number >= least) && (most === undefined || number <= most);
}

/** Whether labels fulfil every requirement. A label that is not there fulfils only NotIn and DoesNotExist. */
export function allowsLabels(requirements: Requirements, labels: Readonly<Record<string, string>>): boolean {
  for (const [key, requirement] of requirements) if (!allowsLabel(requirement, labelAt(labels, key))) return false;
  return true;
}

export const allowsLabel = (requirement: Requirement, value: string | undefined): boolean =>
  value === undefined ? requirement.absentOk : allowsValue(requirement, value);

/** A label by its present name, or by an old one. */
export function labelAt(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  if (Object.hasOwn(labels, key)) return labels[key];
  for (const [old, now] of normalisedKeys) if (now === key && Object.hasOwn(labels, old)) return labels[old];
  return undefined;
}

/** A value that is allowed, the same at any time: the first of a list, else the least number; undefined where there is none. */
export function someValue(requirement: Requirement): string | undefined {
  const { values, least, most } = requirement;
  const listed = listedValues(requirement);
  if (listed) return listed[0];
  const first = least ?? Math.min(0, most ?? 0);
  const numbers = Array.from({ length: values.size + 1 }, (_, at) => String(first + at));
  return numbers.find((value) => allowsValue(requirement, value));
}

/** Those of a list; undefined where it is not one, and any other value may be allowed. */
export const listedValues = (requirement: Requirement): readonly string[] | undefined =>
  requirement.complement
    ? undefined
    : [...requirement.values].filter((value) => allowsValue(requirement, value)).sort();

/** The one value that is allowed; undefined where there are several, or none. */
export const onlyValue = ({ values, complement, absent }: Requirement): string | undefined =>
  !complement && !absent && values.size === 1 ? [...values][0] : undefined;
