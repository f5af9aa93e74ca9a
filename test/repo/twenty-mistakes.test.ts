import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDirectory } from '../../src/repo/directory-tree.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';

it('a repo with more than twenty mistakes gives a finding with a place for each, and nothing valid is lost', async () => {
  const fleet = await loadFleet(await openDirectory(join(import.meta.dirname, 'fixtures/twenty-mistakes')));
  expect(
    fleet.problems.map(({ file, line, column, code }) => `${file}:${line}:${column} ${code}`),
  ).toMatchInlineSnapshot(`
    [
      "clusters/heartbeat.yaml:6:3 out-of-range",
      "clusters/taint.yaml:7:36 invalid-value",
      "clusters/twice-2.yaml:3:1 duplicate-object",
      "overrides/path.yaml:12:28 invalid-patch",
      "placements/binding.yaml:2:1 generated-kind",
      "placements/bounds.yaml:14:17 contradiction",
      "placements/external.yaml:9:5 field-not-allowed",
      "placements/fixed.yaml:9:23 duplicate",
      "placements/kind.yaml:2:1 unknown-kind",
      "placements/no-number.yaml:7:3 field-required",
      "placements/percent.yaml:9:7 invalid-int-or-percent",
      "placements/selector.yaml:7:7 exclusive-fields",
      "placements/toleration.yaml:10:44 field-not-allowed",
      "placements/typo.yaml:7:3 unknown-field",
      "placements/wrong-type.yaml:9:5 wrong-type",
      "resources/duplicate-key.yaml:8:3 duplicate-key",
      "resources/generate.yaml:4:3 generate-name",
      "resources/namespace.yaml:3:1 namespace-required",
      "resources/octal.yaml:6:7 ambiguous-scalar",
      "resources/syntax.yaml:7:1 yaml-syntax",
      "resources/tag.yaml:7:16 yaml-tag",
      "resources/yes.yaml:7:10 ambiguous-scalar",
      "rollouts/stage.yaml:7:7 invalid-name",
      "rollouts/stage.yaml:11:11 field-required",
    ]
  `);
  expect(new Set(fleet.problems.map(({ file }) => file)).size).toBeGreaterThanOrEqual(20);
  expect(fleet.problems.every(({ line, column }) => (line ?? 0) > 0 && (column ?? 0) > 0)).toBe(true);
  expect(fleet.unreadable).toEqual([]);
  expect(fleet.placements.map(({ metadata }) => metadata.name)).toEqual(['good']);
  expect(fleet.resources.map(({ manifest }) => manifest.metadata.name)).toEqual(['good']);
});
