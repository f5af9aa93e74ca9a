import type { Condition } from '../api/meta.ts';
import type { FleetRecord, RecordedPlacement } from '../engine/input.ts';
import { parseInstant } from '../engine/kernel/instant.ts';
import { CliError } from './exit.ts';
import { type OutputFormat, outputFormat, print, printJson, printYaml } from './output.ts';
import { readStatus, type StatusOptions } from './read-status.ts';
import { age, table } from './terminal.ts';

/** One listed object: the whole of it for -o json, cells for a table. */
interface Row {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly value: object;
  readonly cells: readonly (string | number | undefined)[];
  readonly wide?: readonly (string | number | undefined)[];
}

interface Listing {
  readonly aliases: readonly string[];
  readonly headings: readonly string[];
  readonly wide?: readonly string[];
  readonly rows: (record: FleetRecord, now: number) => Row[];
}

const status = (conditions: readonly Condition[] | undefined, type: string): string =>
  conditions?.find((condition) => condition.type === type || condition.type.endsWith(`Placement${type}`))?.status ?? '';

const since = (conditions: readonly Condition[] | undefined, now: number): string => {
  const times = (conditions ?? []).flatMap(({ lastTransitionTime }) =>
    lastTransitionTime ? (parseInstant(lastTransitionTime) ?? []) : [],
  );
  return times.length === 0 ? '' : age(Math.min(...times), now);
};

const placements = (
  record: FleetRecord,
): [string, RecordedPlacement & { object: NonNullable<RecordedPlacement['object']> }][] =>
  [...record.placements].flatMap(([key, recorded]) =>
    recorded.object ? [[key, { ...recorded, object: recorded.object }]] : [],
  );

/** Columns as KubeFleet's printer columns have them, where it has any. */
const listings: Readonly<Record<string, Listing>> = {
  placements: {
    aliases: ['placement', 'crp', 'rp', 'clusterresourceplacements', 'resourceplacements'],
    headings: ['KIND', 'NAME', 'GEN', 'SCHEDULED', 'AVAILABLE', 'SNAPSHOT', 'CLUSTERS', 'AGE'],
    wide: ['TYPE', 'WORKSYNCHRONIZED', 'APPLIED'],
    rows: (record, now) =>
      placements(record).map(([, { object, state }]) => {
        const conditions = object.status?.conditions;
        return {
          name: object.metadata.name,
          namespace: object.metadata.namespace,
          value: object,
          cells: [
            object.kind,
            object.metadata.namespace ? `${object.metadata.namespace}/${object.metadata.name}` : object.metadata.name,
            object.metadata.generation,
            status(conditions, 'Scheduled'),
            status(conditions, 'Available') || status(conditions, 'DiffReported'),
            object.status?.observedResourceIndex,
            state.bindings.filter((binding) => !binding.deleting && binding.state !== 'Unscheduled').length,
            since(conditions, now),
          ],
          wide: [
            object.spec.policy.placementType,
            status(conditions, 'WorkSynchronized'),
            status(conditions, 'Applied'),
          ],
        };
      }),
  },
  bindings: {
    aliases: ['binding', 'crb', 'rb'],
    headings: ['PLACEMENT', 'CLUSTER', 'STATE', 'SNAPSHOT', 'APPLIED', 'AVAILABLE', 'REASON'],
    rows: (record) =>
      [...record.placements].flatMap(([key, { state }]) =>
        state.bindings.map((binding): Row => {
          const trouble = binding.conditions?.find((condition) => condition.status === 'False');
          return {
            name: `${key}/${binding.targetCluster}`,
            value: { placement: key, ...binding },
            cells: [
              key,
              binding.targetCluster,
              binding.deleting ? 'Deleting' : binding.state,
              binding.resourceSnapshotIndex,
              status(binding.conditions, 'Applied'),
              status(binding.conditions, 'Available'),
              trouble?.reason,
            ],
          };
        }),
      ),
  },
  clusters: {
    aliases: ['cluster', 'members', 'member', 'memberclusters', 'membercluster'],
    headings: ['NAME', 'JOINED', 'HEALTHY', 'NODES', 'CPU-AVAILABLE', 'MEMORY-AVAILABLE', 'VERSION'],
    rows: (record) =>
      [...record.clusters].map(([name, cluster]) => {
        const agent = cluster.status?.agentStatus?.find(({ type }) => type === 'MemberAgent')?.conditions;
        const { properties, resourceUsage } = cluster.status ?? {};
        return {
          name,
          value: cluster,
          cells: [
            name,
            status(agent, 'Joined') || 'Unknown',
            status(agent, 'Healthy') || 'Unknown',
            properties?.['kubernetes-fleet.io/node-count']?.value,
            resourceUsage?.available?.['cpu'],
            resourceUsage?.available?.['memory'],
            properties?.['k8s.io/k8s-version']?.value,
          ],
        };
      }),
  },
  runs: {
    aliases: ['run', 'csur', 'sur', 'updateruns', 'clusterstagedupdateruns', 'stagedupdateruns'],
    headings: [
      'NAME',
      'PLACEMENT',
      'RESOURCE-SNAPSHOT-INDEX',
      'POLICY-SNAPSHOT-INDEX',
      'INITIALIZED',
      'SUCCEEDED',
      'AGE',
    ],
    rows: (record, now) =>
      [...record.runs].map(([key, run]) => ({
        name: run.metadata.name,
        namespace: run.metadata.namespace,
        value: run,
        cells: [
          key,
          run.spec.placementName,
          run.status?.resourceSnapshotIndexUsed,
          run.status?.policySnapshotIndexUsed,
          status(run.status?.conditions, 'Initialized'),
          status(run.status?.conditions, 'Succeeded'),
          since(run.status?.conditions, now),
        ],
      })),
  },
  approvals: {
    aliases: ['approval', 'careq', 'areq', 'clusterapprovalrequests', 'approvalrequests'],
    headings: ['NAME', 'UPDATE-RUN', 'STAGE', 'APPROVED', 'APPROVALACCEPTED', 'AGE'],
    rows: (record, now) =>
      [...record.approvals].map(([key, approval]) => {
        const run = record.runs.get(
          key.slice(0, key.length - approval.metadata.name.length) + approval.spec.parentStageRollout,
        );
        return {
          name: approval.metadata.name,
          namespace: approval.metadata.namespace,
          value: approval,
          cells: [
            key,
            approval.spec.parentStageRollout,
            approval.spec.targetStage,
            status(approval.status?.conditions, 'Approved'),
            status(approval.status?.conditions, 'ApprovalAccepted'),
            since(
              approval.status?.conditions ??
                run?.status?.stagesStatus?.find(({ stageName }) => stageName === approval.spec.targetStage)?.conditions,
              now,
            ),
          ],
        };
      }),
  },
  evictions: {
    aliases: ['eviction', 'crpe'],
    headings: ['NAME', 'PLACEMENT', 'CLUSTER', 'VALID', 'EXECUTED'],
    rows: (record) =>
      [...record.evictions].map(([name, eviction]) => ({
        name,
        value: eviction,
        cells: [
          name,
          eviction.spec.placementName,
          eviction.spec.clusterName,
          status(eviction.status?.conditions, 'Valid'),
          status(eviction.status?.conditions, 'Executed'),
        ],
      })),
  },
  snapshots: {
    aliases: ['snapshot', 'crs', 'rs'],
    headings: ['PLACEMENT', 'INDEX', 'LATEST', 'OBJECTS', 'COMMIT', 'AGE'],
    rows: (record, now) =>
      [...record.placements].flatMap(([key, { state, snapshots }]) =>
        state.resourceSnapshots.map((entry): Row => {
          const created = entry.createdAt === undefined ? undefined : parseInstant(entry.createdAt);
          return {
            name: `${key}/${entry.index}`,
            value: { placement: key, ...entry, objects: snapshots.get(entry.index) ?? [] },
            cells: [
              key,
              entry.index,
              entry.latest ? 'true' : 'false',
              snapshots.get(entry.index)?.length,
              entry.commit?.slice(0, 12),
              created === undefined ? '' : age(created, now),
            ],
          };
        }),
      ),
  },
  drift: {
    aliases: ['drifts', 'diffs'],
    headings: ['PLACEMENT', 'CLUSTER', 'OBJECT', 'PATH', 'IN-MEMBER', 'IN-REPO'],
    rows: (record) =>
      [...record.placements].flatMap(([key, { state }]) =>
        state.bindings.flatMap((binding) =>
          [...(binding.driftedPlacements ?? []), ...(binding.diffedPlacements ?? [])].flatMap((found): Row[] => {
            const details = (found['observedDrifts'] ?? found['observedDiffs'] ?? []) as readonly {
              path: string;
              valueInMember?: string;
              valueInHub?: string;
            }[];
            const object = `${found.kind} ${found.namespace ? `${found.namespace}/` : ''}${found.name}`;
            return details.map((detail) => ({
              name: `${key}/${binding.targetCluster}/${object}${detail.path}`,
              value: { placement: key, cluster: binding.targetCluster, object, ...detail },
              cells: [key, binding.targetCluster, object, detail.path, detail.valueInMember, detail.valueInHub],
            }));
          }),
        ),
      ),
  },
};

/** The kind a person means: plural, singular or KubeFleet's short name. */
export function kindMeant(word: string): string {
  const wanted = word.toLowerCase();
  const found = Object.entries(listings).find(([kind, { aliases }]) => kind === wanted || aliases.includes(wanted));
  if (found) return found[0];
  throw new CliError(`there is no kind ${word}: use one of ${Object.keys(listings).join(', ')}`);
}

export function rowsOf(record: FleetRecord, kind: string, now: number): Row[] {
  return listings[kind]!.rows(record, now).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

export async function get(
  word: string,
  name: string | undefined,
  options: StatusOptions & { readonly output: string; readonly namespace?: string },
): Promise<void> {
  const kind = kindMeant(word);
  const format = outputFormat(options.output, ['table', 'wide', 'json', 'yaml', 'name']);
  const { record } = await readStatus(options);
  const wanted = rowsOf(record, kind, Date.now())
    .filter((row) => options.namespace === undefined || row.namespace === options.namespace)
    .filter(
      (row) =>
        name === undefined ||
        row.name === name ||
        `${row.namespace}/${row.name}` === name ||
        row.name.startsWith(`${name}/`),
    );
  if (name !== undefined && wanted.length === 0)
    throw new CliError(`${kind} "${name}" not found on the status branch`, 1);
  await show(kind, wanted, format, name !== undefined);
}

async function show(kind: string, rows: readonly Row[], format: OutputFormat, single: boolean): Promise<void> {
  const { headings, wide = [] } = listings[kind]!;
  const values =
    single && rows.length === 1
      ? rows[0]!.value
      : { apiVersion: 'v1', kind: 'List', items: rows.map(({ value }) => value) };
  switch (format) {
    case 'json':
      return printJson(values);
    case 'yaml':
      return printYaml(values);
    case 'name':
      return print(rows.map((row) => `${kind}/${row.name}`).join('\n'));
    default: {
      if (rows.length === 0) {
        process.stderr.write(`No ${kind} on the status branch.\n`);
        return;
      }
      const more = format === 'wide';
      print(
        table(
          more ? [...headings, ...wide] : headings,
          rows.map((row) => (more ? [...row.cells, ...(row.wide ?? [])] : row.cells)),
        ),
      );
    }
  }
}
