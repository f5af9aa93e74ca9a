import type { Binding } from '../../api/placement-state.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { latestOf } from '../../engine/kernel/latest-of.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import { isRunOf } from '../../engine/update-run.ts';
import { titleOf } from '../../repo/title-of.ts';
import { snapshotText } from '../../report/applied-snapshot.ts';
import { whyLate } from '../../report/waits/why-late.ts';
import { kindMeant } from '../kinds/kinds.ts';
import { statusOf } from '../kinds/listing.ts';
import { type AssignedObject, assignedObjects } from '../status/assigned-objects.ts';
import { differenceLines } from '../status/difference-lines.ts';
import { type KnownPlacement, knownPlacements } from '../status/known-placements.ts';
import { objectState, stateOfAll } from '../status/object-state.ts';
import { type Status, type StatusOptions, withStatus } from '../status/open-status.ts';
import { CliError } from '../terminal/exit.ts';
import { splitName } from '../terminal/names.ts';
import { oneNamed } from '../terminal/one-named.ts';
import { outputFormat, print, printJson, printYaml } from '../terminal/output.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { type Branching, branchText } from './branch-text.ts';

export interface TreeOptions extends StatusOptions {
  readonly cluster?: string;
  readonly namespace?: string;
  readonly output: string;
}

/** A node of the tree. */
interface Part {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly state?: string | undefined;
  /** Further facts: its source, differences. */
  readonly notes: readonly string[];
  readonly children: readonly Part[];
}

/** A placement with its snapshots, runs and clusters, and every object on each of them. */
export async function tree(word: string, givenName: string | undefined, options: TreeOptions): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'yaml']);
  const name = placementNamed(word, givenName);
  await withStatus(options, async (reader) => {
    const status = await reader.read(['placements', 'overrides', 'clusters', 'runs']);
    const all = knownPlacements(status.record).filter(
      ({ namespace }) => options.namespace === undefined || namespace === options.namespace,
    );
    const placement = oneNamed(all, name, { what: 'placement', refOf: (each) => each });
    if (!placement) throw unknownName({ what: 'placement', name, known: all.map(({ title }) => title) });
    const clusters = placement.state.bindings.map(({ targetCluster }) => targetCluster);
    if (options.cluster !== undefined && !clusters.includes(options.cluster))
      throw unknownName({
        what: 'cluster',
        name: options.cluster,
        known: clusters,
        owner: `placement ${placement.title}`,
      });
    const whole = placementPart(placement, status, options.cluster);
    const document = { apiVersion: 'gitfleet.dev/v1alpha1', kind: 'Tree', placement: whole };
    if (format === 'json') return printJson(document);
    if (format === 'yaml') return printYaml(document);
    print(branchText(drawn(whole)));
  });
}

/** `tree web`, `tree placement web` and `tree crp/web` mean the same. */
function placementNamed(word: string, givenName: string | undefined): string {
  if (givenName === undefined && !word.includes('/')) return word;
  const { kind, name } = splitName(word, givenName);
  const known = ['placements', 'placement'];
  if (givenName === undefined && !isPlacementWord(kind)) return word;
  if (!isPlacementWord(kind)) throw new CliError(`tree takes a placement, not ${kind}: gitfleet tree ${known[1]} web`);
  return name!;
}

function isPlacementWord(word: string): boolean {
  try {
    return kindMeant(word).listing.names[0] === 'placements';
  } catch {
    return false;
  }
}

function placementPart(placement: KnownPlacement, status: Status, cluster: string | undefined): Part {
  const { kind, name, namespace, object, state } = placement;
  const latest = latestOf(state.resourceSnapshots);
  const policy = latestOf(state.policySnapshots);
  return {
    kind,
    name,
    namespace,
    state: ['Scheduled', 'Available']
      .flatMap((type) => {
        const status = statusOf(object?.status?.conditions, type);
        return status === undefined ? [] : [`${type}=${status}`];
      })
      .join(' '),
    notes: [],
    children: [
      ...(policy
        ? [
            leaf('PolicySnapshot', String(policy.index), [
              [policy.policy.placementType, policy.numberOfClusters ?? policy.policy.numberOfClusters]
                .filter((part) => part !== undefined)
                .join(' '),
            ]),
          ]
        : []),
      ...(latest
        ? [
            leaf('ResourceSnapshot', String(latest.index), [
              `${placement.snapshots.get(latest.index)?.length ?? 0} objects`,
              ...(latest.commit === undefined ? [] : [`commit ${latest.commit.slice(0, 12)}`]),
            ]),
          ]
        : []),
      ...runParts(placement, status.record),
      ...state.bindings
        .filter(({ targetCluster }) => cluster === undefined || targetCluster === cluster)
        .map((binding) => clusterPart(placement, binding, status)),
    ],
  };
}

const leaf = (kind: string, name: string, notes: readonly string[], state?: string): Part => ({
  kind,
  name,
  state,
  notes,
  children: [],
});

const runParts = (placement: KnownPlacement, { runs }: FleetRecord): Part[] =>
  [...runs.values()]
    .filter((run) => isRunOf(run, placement))
    .map(({ kind, metadata, status }) => ({
      kind,
      name: metadata.name,
      namespace: metadata.namespace,
      state: status?.conditions?.findLast((condition) => condition.status !== 'Unknown')?.reason,
      notes: [],
      children: (status?.stagesStatus ?? []).map((stage) =>
        leaf(
          'Stage',
          stage.stageName,
          (stage.clusters ?? []).map(({ clusterName }) => clusterName),
          stage.conditions?.at(-1)?.reason ?? 'not started',
        ),
      ),
    }));

function clusterPart(placement: KnownPlacement, binding: Binding, status: Status): Part {
  const { targetCluster, state, deleting } = binding;
  const snapshot = snapshotText(binding, status.unreachable.has(targetCluster));
  const all = stateOfAll(binding);
  const why = all === 'pending' ? whyLate({ placement, binding }, status) : undefined;
  return {
    kind: 'Cluster',
    name: targetCluster,
    state: all,
    notes: [
      deleting ? 'Deleting' : state,
      snapshot === undefined ? 'no snapshot yet' : `snapshot ${snapshot}`,
      ...(why === undefined ? [] : [why]),
    ],
    children: assignedObjects(placement, binding, status.record).map((object) => objectPart(binding, object)),
  };
}

function objectPart(binding: Binding, { manifest, overrides, dropped, envelope }: AssignedObject): Part {
  const of = objectState(binding, manifest);
  const all = stateOfAll(binding);
  return {
    kind: manifest.kind,
    name: manifest.metadata.name,
    namespace: manifest.metadata.namespace,
    // The cluster has the state that is common to all objects.
    state: dropped ? 'left out' : of.state === all ? undefined : of.state,
    notes: [
      ...(envelope ? [`in ${describeRef({ ...envelope, kind: envelope.type })}`] : []),
      ...overrides.map((id) => `override ${id}`),
      ...(of.failed ? [of.failed.condition.reason] : []),
      ...differenceLines(of),
    ],
    children: [],
  };
}

function drawn({ kind, name, namespace, state, notes, children }: Part): Branching {
  const title = kind === 'Cluster' ? name : `${kind} ${titleOf({ name, namespace })}`;
  const texts = [state, ...notes].filter((text) => text !== undefined && text !== '');
  return {
    label: texts.length === 0 ? title : `${title}  ${texts.join(', ')}`,
    children: children.map(drawn),
  };
}
