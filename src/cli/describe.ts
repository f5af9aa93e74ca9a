import type { Condition } from '../api/meta.ts';
import type { FleetRecord } from '../engine/input.ts';
import { CliError } from './exit.ts';
import { kindMeant, rowsOf } from './get.ts';
import { print } from './output.ts';
import { readStatus, type StatusOptions } from './read-status.ts';
import { table } from './terminal.ts';

/** Everything the status branch says about one object, in kubectl's manner. */
export async function describe(word: string, name: string, options: StatusOptions): Promise<void> {
  const kind = kindMeant(word);
  const { record } = await readStatus(options);
  const row = rowsOf(record, kind, Date.now()).find(
    (candidate) => candidate.name === name || `${candidate.namespace}/${candidate.name}` === name,
  );
  if (!row) throw new CliError(`${kind} "${name}" not found on the status branch`, 1);
  const parts =
    kind === 'placements'
      ? describePlacement(record, row.namespace ? `${row.namespace}.${row.name}` : row.name)
      : describeAny(row.value);
  print(parts.join('\n\n'));
}

function describePlacement(record: FleetRecord, key: string): string[] {
  const recorded = [...record.placements].find(([candidate]) => candidate === key)?.[1];
  const object = recorded?.object;
  if (!recorded || !object) return [];
  const latest =
    recorded.state.policySnapshots.find((snapshot) => snapshot.latest) ?? recorded.state.policySnapshots.at(-1);
  const { policy, strategy } = object.spec;
  const parts = [
    [
      `Name:       ${object.metadata.name}`,
      ...(object.metadata.namespace ? [`Namespace:  ${object.metadata.namespace}`] : []),
      `Kind:       ${object.kind}`,
      `Policy:     ${policy.placementType}${policy.numberOfClusters === undefined ? '' : ` ${policy.numberOfClusters}`}`,
      `Strategy:   ${strategy.type}`,
      `Snapshot:   ${object.status?.observedResourceIndex || '<none>'}`,
    ].join('\n'),
    titled('Conditions', conditionTable(object.status?.conditions)),
    titled(
      'Decisions',
      table(
        ['CLUSTER', 'SELECTED', 'AFFINITY', 'SPREAD', 'REASON'],
        (latest?.targetClusters ?? []).map((decision) => [
          decision.clusterName,
          String(decision.selected),
          decision.clusterScore?.affinityScore,
          decision.clusterScore?.topologySpreadScore,
          decision.reason,
        ]),
      ),
    ),
  ];
  for (const binding of recorded.state.bindings) {
    const head = `${binding.targetCluster}: ${binding.deleting ? 'being removed' : binding.state}, snapshot ${binding.resourceSnapshotIndex ?? '<none>'}`;
    const troubles = (binding.failedPlacements ?? []).map(
      (failed) =>
        `  ✗ ${failed.kind} ${failed.namespace ? `${failed.namespace}/` : ''}${failed.name}: ${failed.condition.reason} ${failed.condition.message ?? ''}`,
    );
    parts.push([head, indent(conditionTable(binding.conditions)), ...troubles].join('\n'));
  }
  const selected = object.status?.selectedResources ?? [];
  parts.push(
    titled(
      'Selected resources',
      table(
        ['KIND', 'NAMESPACE', 'NAME'],
        selected.map(({ kind, namespace, name }) => [kind, namespace, name]),
      ),
    ),
  );
  return parts;
}

const titled = (title: string, body: string): string => `${title}:\n${indent(body)}`;
const indent = (text: string): string => text.replace(/^/gm, '  ');

const conditionTable = (conditions: readonly Condition[] | undefined): string =>
  table(
    ['TYPE', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'],
    (conditions ?? []).map((condition) => [
      condition.type,
      condition.status,
      condition.reason,
      condition.lastTransitionTime,
      condition.message,
    ]),
  );

/** Names and values, nested by indentation: what `kubectl describe` does for kinds it does not know. */
function describeAny(value: object): string[] {
  return [lines(value, 0).join('\n')];
}

function lines(value: unknown, depth: number): string[] {
  const pad = '  '.repeat(depth);
  if (Array.isArray(value))
    return value.flatMap((item) =>
      typeof item === 'object' && item !== null ? [`${pad}-`, ...lines(item, depth + 1)] : [`${pad}- ${item}`],
    );
  return Object.entries(value as Record<string, unknown>).flatMap(([key, item]) => {
    const title = key[0]!.toUpperCase() + key.slice(1).replace(/([a-z])([A-Z])/g, '$1 $2');
    if (item === undefined || item === null) return [];
    if (typeof item === 'object')
      return Object.keys(item).length === 0 ? [] : [`${pad}${title}:`, ...lines(item, depth + 1)];
    return [`${pad}${title}:  ${item}`];
  });
}
