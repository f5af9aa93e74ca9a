import { compareVersions, parseVersion } from '../../api/kubernetes-version.ts';
import { compareNodeImages, parseNodeImage } from '../../api/node-image.ts';
import type { ObservedPool } from '../../api/observed-versions.ts';

export interface PoolNode {
  readonly pool: string;
  readonly kubernetes: string | undefined;
  readonly image: string | undefined;
}

/** Pools by name, with the oldest version and image of their nodes. */
export const poolsOf = (nodes: readonly PoolNode[]): ObservedPool[] =>
  [...Map.groupBy(nodes, ({ pool }) => pool)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, ofPool]) => ({
      name,
      ...present(
        'kubernetes',
        oldest(
          ofPool.map(({ kubernetes }) => kubernetes),
          versionOrder,
        ),
      ),
      ...present(
        'image',
        oldest(
          ofPool.map(({ image }) => image),
          imageOrder,
        ),
      ),
      count: ofPool.length,
    }));

/** One that is unknown, or cannot be compared with the others, hides what is oldest. */
function oldest(
  texts: readonly (string | undefined)[],
  order: (a: string, b: string) => number | undefined,
): string | undefined {
  let found = texts[0];
  for (const text of texts.slice(1)) {
    if (found === undefined || text === undefined) return undefined;
    const sign = found === text ? 0 : order(text, found);
    if (sign === undefined) return undefined;
    if (sign < 0) found = text;
  }
  return found;
}

function versionOrder(a: string, b: string): number | undefined {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  return left && right && compareVersions(left, right);
}

function imageOrder(a: string, b: string): number | undefined {
  const [left, right] = [parseNodeImage(a), parseNodeImage(b)];
  return left && right && compareNodeImages(left, right);
}

const present = <K extends string>(key: K, value: string | undefined): { readonly [k in K]?: string } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [k in K]: string });
