import { expect, it } from 'vitest';
import { kindsMeant } from '../../../src/cli/kinds/kinds.ts';

it('all means the objects that users write or wait for, each kind once', () => {
  const named = (word: string): string[] => kindsMeant(word, 1).map(({ listing }) => listing.names[0]!);
  expect(named('all')).toEqual(['placements', 'clusters', 'runs', 'approvals', 'evictions', 'upgrades']);
  expect(named('all,drift,runs')).toEqual([...named('all'), 'drift']);
});
