import { expect, it } from 'vitest';
import { recordPathOf } from '../../../src/repo/record/path.ts';

// sha-256: web 4b…, eu-1 a8…
it.each([
  ['a placement', 'placements/web/state.yaml', ['placements', 'web', 'state.yaml']],
  ['its snapshots', 'placements/web/snapshots/0.yaml', ['placements', 'web', 'snapshots/0.yaml']],
  ['a sharded placement', 'placements/4b/web/snapshots/0.yaml', ['placements', 'web', 'snapshots/0.yaml']],
  ['a placement whose name looks like a shard', 'placements/fe/status.yaml', ['placements', 'fe', 'status.yaml']],
  ['and its snapshots', 'placements/fe/snapshots/0.yaml', ['placements', 'fe', 'snapshots/0.yaml']],
  ['and one that is the shard of a file name', 'placements/07/status.yaml', ['placements', '07', 'status.yaml']],
  ['an override whose name looks like a shard', 'overrides/db/3.yaml', ['overrides', 'db', '3.yaml']],
  ['a sharded override', 'overrides/4b/web/3.yaml', ['overrides', 'web', '3.yaml']],
  ['a run', 'runs/ns.web-1.yaml', ['runs', 'ns.web-1', '']],
  ['a run whose name looks like a shard', 'runs/be.yaml', ['runs', 'be', '']],
  ['a sharded cluster', 'clusters/a8/eu-1.yaml', ['clusters', 'eu-1', '']],
  ['a cluster whose name looks like a file', 'clusters/eu-1.yaml.yaml', ['clusters', 'eu-1.yaml', '']],
])('%s', (_, path, [directory, name, rest]) => {
  expect(recordPathOf(path)).toEqual({ directory, name, rest });
});

it.each(['README.md', 'summary.yaml', 'placements', 'clusters/notes.txt'])('%s is none of them', (path) => {
  expect(recordPathOf(path)).toBeUndefined();
});
