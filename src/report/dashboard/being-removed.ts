import { someOf } from '../../engine/kernel/some-of.ts';
import { markdownText } from '../../repo/markdown-text.ts';
import { titleOf } from '../../repo/title-of.ts';
import type { InForce } from '../in-force.ts';
import { mostRows } from './rows.ts';

/** Also of placements that are deleted, which no other table names; what a removal waits for is among what is held. */
export function beingRemoved({ targets }: InForce): readonly string[] {
  const removals = Map.groupBy(
    targets.filter(({ remove }) => remove),
    ({ placement }) => titleOf(placement),
  );
  return [...removals].slice(0, mostRows).map(([title, from]) => {
    const names = from.map(({ clusterName }) => clusterName);
    return `- **${markdownText(title)}** from ${markdownText(someOf(names, mostRows))}`;
  });
}
