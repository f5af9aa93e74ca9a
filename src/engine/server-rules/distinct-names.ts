import { textAt } from '../kernel/at.ts';
import { type Cause, duplicateField } from './cause.ts';

/** Names must be unique. */
export function distinctNames(items: readonly unknown[], path: string): Cause[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const name = textAt(item, 'name');
    if (name !== '' && seen.has(name)) return [duplicateField(`${path}[${index}].name`, name)];
    seen.add(name);
    return [];
  });
}
