import type { Binding } from '../../api/placement-state.ts';
import { formatInstant } from '../../engine/kernel/instant.ts';
import { overrideOf } from '../../engine/overrides/snapshot-id.ts';
import { describeRef, refOfManifest } from '../../engine/selection/object-key.ts';
import { allBuiltInKinds } from '../../engine/selection/scope.ts';
import { whyLate } from '../../report/waits/why-late.ts';
import { type AssignedObject, assignedObjects } from '../status/assigned-objects.ts';
import { type KnownPlacement, knownPlacements } from '../status/known-placements.ts';
import { objectState } from '../status/object-state.ts';
import { type StatusOptions, withStatus } from '../status/open-status.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { splitName } from '../terminal/names.ts';
import { outputFormat, print, printJson, printYaml } from '../terminal/output.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { likelyKind, meansKind } from './kind-word.ts';
import { type CommitSummary, type Origin, origins } from './origin.ts';
import { type Trace, type TracedCommit, traceText } from './text.ts';

export interface TraceOptions extends StatusOptions {
  readonly namespace?: string;
  readonly cluster?: string;
  readonly output: string;
}

/** Which placement, snapshot, commit, file and override put an object on a cluster. */
export async function trace(word: string, givenName: string | undefined, options: TraceOptions): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'yaml']);
  const { kind, name } = splitName(word, givenName);
  if (name === undefined)
    throw new CliError(`trace ${word} needs a name: write for example gitfleet trace deployment/web -n shop`);
  const [namespace, shortName] = name.includes('/') ? name.split('/') : [options.namespace, name];
  await withStatus(options, async (reader) => {
    const status = await reader.read(['placements', 'overrides', 'clusters']);
    const { record } = status;
    const bound = knownPlacements(record).flatMap((placement) =>
      placement.state.bindings.map((binding) => ({ placement, binding })),
    );
    const clusters = [...new Set([...record.clusters.keys(), ...bound.map(({ binding }) => binding.targetCluster)])];
    if (options.cluster !== undefined && !clusters.includes(options.cluster))
      throw unknownName({ what: 'cluster', name: options.cluster, known: clusters, flag: '--cluster' });
    const held = bound
      .filter(({ binding }) => options.cluster === undefined || binding.targetCluster === options.cluster)
      .flatMap(({ placement, binding }) =>
        assignedObjects(placement, binding, record).map((object) => ({ placement, binding, object })),
      );
    const kinds = [...allBuiltInKinds(), ...held.map(({ object: { manifest } }) => manifest.kind)];
    const meant = likelyKind(kind, kinds);
    if (meant !== undefined)
      throw new CliError(`there is no kind ${kind}: did you mean ${meant}?`, exitCodes.invalidInput);
    const ofKind = held.filter(({ object: { manifest } }) => meansKind(kind, manifest));
    const found = ofKind.filter(
      ({ object: { manifest } }) =>
        manifest.metadata.name === shortName &&
        (namespace === undefined || (manifest.metadata.namespace ?? '') === namespace),
    );
    if (found.length === 0) throw notPlaced({ kind, name, options, ofKind });
    const originOf = origins(reader);
    const traces: Trace[] = [];
    for (const { placement, binding, object } of found) {
      const entry = placement.state.resourceSnapshots.find(({ index }) => index === binding.resourceSnapshotIndex);
      const why = whyLate({ placement, binding }, status);
      traces.push(await traced(placement, binding, object, { entry, why, origin: await originOf(entry?.commit) }));
    }
    traces.sort((a, b) => (a.clusterName < b.clusterName ? -1 : a.clusterName > b.clusterName ? 1 : 0));
    const list = { apiVersion: 'gitfleet.dev/v1alpha1', kind: 'TraceList', items: traces };
    if (format === 'json') return printJson(list);
    if (format === 'yaml') return printYaml(list);
    print(traces.map(traceText).join('\n\n'));
  });
}

async function traced(
  placement: KnownPlacement,
  binding: Binding,
  { manifest, envelope, overrides, dropped }: AssignedObject,
  from: {
    readonly entry: KnownPlacement['state']['resourceSnapshots'][number] | undefined;
    readonly origin: Origin | undefined;
    readonly why: string | undefined;
  },
): Promise<Trace> {
  const { entry, origin, why } = from;
  const state = objectState(binding, manifest);
  const { kind, name, namespace } = placement;
  const source = await origin?.resource(envelope ? envelopeManifest(envelope, placement, binding) : manifest);
  return {
    clusterName: binding.targetCluster,
    object: {
      apiVersion: manifest.apiVersion,
      kind: manifest.kind,
      namespace: manifest.metadata.namespace,
      name: manifest.metadata.name,
    },
    ...state,
    dropped,
    ...(state.state === 'pending' && why !== undefined ? { why } : {}),
    placement: { kind, name, namespace, file: origin?.place(kind, placement) },
    snapshot: {
      index: binding.resourceSnapshotIndex!,
      latest: entry?.latest ?? false,
      createdAt: entry?.createdAt,
      commit: origin ? instantOf(origin.commit) : entry?.commit === undefined ? undefined : { id: entry.commit },
    },
    source: source && { file: source.file, changedBy: source.changedBy && instantOf(source.changedBy) },
    envelope,
    overrides: overrides.map((snapshot) => ({ snapshot, file: origin && fileOfOverride(snapshot, origin) })),
  };
}

/** `web/eu-0` is a snapshot of the ResourceOverride `eu` of the namespace `web`. */
function fileOfOverride(id: string, origin: Origin): string | undefined {
  const { kind, ...override } = overrideOf(id);
  return origin.place(kind, override);
}

/** The envelope of an object: the file has the envelope, not the object. */
function envelopeManifest(
  envelope: NonNullable<AssignedObject['envelope']>,
  { snapshots }: KnownPlacement,
  { resourceSnapshotIndex }: Binding,
) {
  return snapshots
    .get(resourceSnapshotIndex!)!
    .find(
      ({ kind, metadata }) =>
        kind === envelope.type && metadata.name === envelope.name && metadata.namespace === envelope.namespace,
    )!;
}

const instantOf = ({ at, ...commit }: CommitSummary): TracedCommit => ({ ...commit, at: formatInstant(at) });

function notPlaced(of: {
  readonly kind: string;
  readonly name: string;
  readonly options: TraceOptions;
  readonly ofKind: readonly { readonly object: AssignedObject }[];
}): CliError {
  const { kind, name, options, ofKind } = of;
  const where = `${options.namespace === undefined ? '' : ` in namespace ${options.namespace}`}${options.cluster === undefined ? '' : ` on ${options.cluster}`}`;
  const known = [...new Set(ofKind.map(({ object: { manifest } }) => describeRef(refOfManifest(manifest))))];
  const instead =
    known.length === 0
      ? `no placement applies objects of this kind there`
      : `of this kind there ${known.length === 1 ? 'is' : 'are'} ${known.slice(0, 12).join(', ')}`;
  return new CliError(`no placement applies ${kind} ${name}${where}: ${instead}`, exitCodes.somethingToDo);
}
