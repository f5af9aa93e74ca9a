import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Problem } from '../api/problem.ts';
import type { SimulatedFleet } from '../api/simulated-fleet.ts';
import { locate } from './fleet/finding.ts';
import { fleetObjects } from './fleet/fleet-objects.ts';
import { sortDocuments } from './fleet/sort-documents.ts';
import { parseYaml } from './yaml/parse-yaml.ts';

/** The SimulatedFleet of one file, or its problems. Rejects when the file cannot be read. */
export async function readSimulatedFleet(
  path: string,
): Promise<{ readonly fleet: SimulatedFleet | undefined; readonly problems: readonly Problem[] }> {
  const file = basename(path);
  const text = await readFile(path, 'utf8');
  const parsed = parseYaml(text, file);
  const placed = parsed.documents.map(({ value, line }) => ({ value: value as object, file, line, inside: [] }));
  const { accepted, findings } = fleetObjects(sortDocuments(placed).fleet);
  const tree = {
    id: file,
    files: async () => [{ path: file, oid: file, mode: '100644' }],
    read: async () => new Map([[file, new TextEncoder().encode(text)]]),
  };
  const located = await locate(findings, tree, await tree.files());
  const problems = [...parsed.problems, ...located].map((problem) => ({ ...problem, file: path }));
  const fleets = accepted.flatMap(({ object }) => (object.kind === 'SimulatedFleet' ? [object] : []));
  if (fleets.length === 0 && problems.length === 0) {
    const fix = 'start it with apiVersion: gitfleet.dev/v1alpha1 and kind: SimulatedFleet';
    problems.push({
      severity: 'error',
      code: 'no-simulated-fleet',
      file: path,
      line: 1,
      column: 1,
      message: 'this file does not contain a SimulatedFleet',
      fix,
    });
  }
  return { fleet: fleets[0], problems };
}
