import { letters } from '../../random.ts';
import { isFields } from '../../schema/schema.ts';

/** A short name for the content of a pod template (the idea of Kubernetes' pod-template-hash, not its value). */
export function templateHash(template: unknown): string {
  let [high, low] = [2166136261, 40389];
  for (const char of JSON.stringify(sorted(template))) {
    high = Math.imul(high ^ char.charCodeAt(0), 16777619) >>> 0;
    low = Math.imul(low + char.charCodeAt(0), 2654435761) >>> 0;
  }
  let out = '';
  for (let at = 0; at < 10; at++) {
    const from = at < 5 ? high : low;
    out += letters[Math.floor(from / 27 ** (at % 5)) % 27];
  }
  return out;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
