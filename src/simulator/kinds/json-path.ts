/** The part of kubectl's JSONPath that printer columns and scale paths use: `.a.b`, `[0]`, `['k']`, `[?(@.x=="y")]`, `[*]`. */
export function jsonPath(value: unknown, path: string): unknown[] {
  let found: unknown[] = [value];
  for (const step of stepsOf(path)) found = found.flatMap((item) => follow(item, step));
  return found.filter((item) => item !== undefined && item !== null);
}

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly at: number }
  | { readonly kind: 'each' }
  | { readonly kind: 'where'; readonly path: string; readonly equals: string };

function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  const token =
    /\.([A-Za-z0-9_\-\\./]*?)(?=\.(?!\\)|\[|$)|\[\?\(@(\.[^=\s]+)\s*==\s*["']([^"']*)["']\)\]|\['([^']+)'\]|\[(\d+)\]|\[\*\]/gy;
  let match = token.exec(path);
  while (match) {
    if (match[2] !== undefined) steps.push({ kind: 'where', path: match[2], equals: match[3]! });
    else if (match[4] !== undefined) steps.push({ kind: 'field', name: match[4] });
    else if (match[5] !== undefined) steps.push({ kind: 'index', at: Number(match[5]) });
    else if (match[0] === '[*]') steps.push({ kind: 'each' });
    else if (match[1]) steps.push({ kind: 'field', name: match[1].replaceAll('\\.', '.') });
    match = token.lastIndex >= path.length ? null : token.exec(path);
  }
  return steps;
}

function follow(item: unknown, step: Step): unknown[] {
  const items = Array.isArray(item) ? (item as unknown[]) : undefined;
  switch (step.kind) {
    case 'field':
      return [(item as Record<string, unknown> | null | undefined)?.[step.name]];
    case 'index':
      return [items?.[step.at]];
    case 'each':
      return items ?? Object.values((item ?? {}) as object);
    case 'where':
      return (items ?? []).filter((each) => String(jsonPath(each, step.path)[0]) === step.equals);
    default:
      return [];
  }
}
