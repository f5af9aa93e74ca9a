import { parseQuantity } from '../../api/quantity.ts';
import { fieldsAt } from '../kernel/at.ts';
import { type Cause, invalidField, requiredField } from './cause.ts';

const standard = new Set(['cpu', 'memory', 'ephemeral-storage']);
const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
/** Of device plugins: `nvidia.com/gpu`. */
const isExtended = (name: string): boolean => name.includes('/') && !name.includes('kubernetes.io/');

/** Requests and limits of a container (core validation, ValidateResourceRequirements). */
export function resourceCauses(container: unknown, field: string): Cause[] {
  const limits = fieldsAt(container, 'resources', 'limits');
  const requests = fieldsAt(container, 'resources', 'requests');
  return [
    ...Object.entries(limits).flatMap(([name, value]) => valueCauses(name, value, `${field}.resources.limits`)),
    ...Object.entries(requests).flatMap(([name, value]) => valueCauses(name, value, `${field}.resources.requests`)),
    ...Object.entries(requests).flatMap(([name, value]) => requestCauses(name, [value, limits[name]], field)),
  ];
}

function valueCauses(name: string, value: unknown, map: string): Cause[] {
  const field = `${map}[${name}]`;
  if (!name.includes('/') && !standard.has(name) && !isHugePages(name))
    return [invalidField(field, name, 'must be a standard resource for containers', nameFix(name))];
  const amount = quantityOf(value);
  if (amount === undefined) return [];
  if (amount < 0) return [invalidField(field, String(value), 'must be greater than or equal to 0', 'write 0 or more')];
  return isExtended(name) && BigInt(amount) % 1_000_000_000n !== 0n
    ? [invalidField(field, String(value), 'must be an integer', 'write a whole number')]
    : [];
}

const nameFix = (name: string): string =>
  standard.has(name.toLowerCase().replace(/s$/, ''))
    ? `did you mean ${name.toLowerCase().replace(/s$/, '')}?`
    : 'write cpu, memory, ephemeral-storage or a name such as example.com/device';

function requestCauses(name: string, [request, limit]: readonly [unknown, unknown], field: string): Cause[] {
  const isExact = isExtended(name) || isHugePages(name);
  if (isExact && (limit ?? null) === null) {
    const why = 'Limit must be set for non overcommitable resources';
    return [requiredField(`${field}.resources.limits`, why, `add ${name}, as in the requests`)];
  }
  const [asked, most] = [quantityOf(request), quantityOf(limit)];
  if (asked === undefined || most === undefined || asked === most || (asked < most && !isExact)) return [];
  const rule = isExact ? 'equal to' : 'less than or equal to';
  const why = `must be ${rule} ${name} limit of ${String(limit)}`;
  const fix = isExact ? 'write the same in both' : 'lower the request or raise the limit';
  return [invalidField(`${field}.resources.requests`, String(request), why, fix)];
}

/** In billionths; undefined where it is none, which is refused by itself. */
export const quantityOf = (value: unknown): number | bigint | undefined =>
  typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value).trim())?.nanos : undefined;
