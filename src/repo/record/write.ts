import { applyStrategy } from '../../api/placement.ts';
import type { ClusterDecision } from '../../api/placement-state.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { memoize } from '../../engine/kernel/memoize.ts';
import { reasonFor } from '../../engine/placement/selected.ts';
import type { RecordDocument } from '../../engine/plan-document.ts';
import { asMade, emitYaml, type Layout, readBack, recurring } from '../yaml/emit-yaml.ts';
import { isSameText, packed, type StatusText } from './status-text.ts';

/** Key order of Kubernetes objects; other maps keep their order. */
const first = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

/** Key order inside a PlacementState and inside statuses, so that equal states give equal text. */
const stateKeys = [
  ...[
    'apiVersion',
    'kind',
    'metadata',
    'index',
    'latest',
    'hash',
    'numberOfResourceSnapshots',
    'numberOfEnvelopedObjects',
    'policyHash',
    'numberOfClusters',
    'commit',
    'createdAt',
    'policy',
    'policySnapshots',
    'resourceSnapshots',
    'bindings',
  ],
  ...[
    'clusterName',
    'targetCluster',
    'state',
    'previousState',
    'deleting',
    'deletionTimestamp',
    'policySnapshotIndex',
    'resourceSnapshotIndex',
    'appliedResourceSnapshotIndex',
    'assignedAt',
    'clusterLabels',
    'selected',
    'clusterScore',
  ],
  ...[
    'clusterResourceOverrideSnapshots',
    'resourceOverrideSnapshots',
    'clusterDecision',
    'applyStrategy',
    'type',
    'status',
    'reason',
    'message',
  ],
  ...[
    'lastTransitionTime',
    'observedGeneration',
    'stageName',
    'clusters',
    'observedResourceIndex',
    'selectedResources',
    'conditions',
    'targetClusters',
    'placementStatuses',
    'stagesStatus',
  ],
];
const rank = new Map(stateKeys.map((key, at) => [key, at]));

/** Text of every document, by path. Equal documents give equal text; an unchanged value is not rendered twice. */
export function packRecord(documents: ReadonlyMap<string, RecordDocument>): Map<string, StatusText> {
  const files = new Map<string, StatusText>();
  for (const [path, document] of documents) files.set(path, textOf(document));
  return files;
}

/**
 * The value of a record file that was rendered from this document, without parsing, which takes twenty times as long as rendering.
 * Undefined if the text is not that of the document.
 */
export function writtenIn(
  text: StatusText,
  document: RecordDocument | undefined,
): { readonly value: unknown } | undefined {
  if (document === undefined || !isSameText(texts.get(document.value), text)) return undefined;
  if (document.kind === 'manifests') return { value: document.value.map((manifest) => readBack(manifest, ofManifest)) };
  if (document.kind === 'text') return undefined;
  return { value: readBack(document.value, layoutOf(document.value)) };
}

const texts = new WeakMap<object, StatusText>();

function textOf(document: RecordDocument): StatusText {
  const known = texts.get(document.value);
  if (known !== undefined) return known;
  const text = packed(written(document));
  texts.set(document.value, text);
  return text;
}

function written(document: RecordDocument): string {
  switch (document.kind) {
    case 'manifests':
      return manifestsText(document.value);
    case 'object':
      return objectText(document.value);
    case 'text':
      return document.value.text;
    default:
      return assertNever(document);
  }
}

const manifestsText = (manifests: readonly object[]): string => manifests.map(manifestText).join('---\n');

const manifestText = memoize((manifest: object) => emitYaml(manifest, ofManifest));

const objectText = (value: object): string => emitYaml(value, layoutOf(value));

const layoutOf = (value: object): Layout => layouts.get((value as { kind?: unknown }).kind) ?? ofObject;

const knownFirst = (map: object): readonly string[] => [
  ...first.filter((key) => key in map),
  ...Object.keys(map).filter((key) => !first.includes(key)),
];

const ofManifest: Layout = { keys: knownFirst, under: () => asMade };
const ofObject: Layout = { keys: knownFirst, under: (key) => (key === 'status' ? ofStatus : asMade) };

/** Fields written by users keep their order. */
const isWritten = (key: string): boolean => key === 'policy' || key === 'stagedUpdateStrategySnapshot';

const ofStatus: Layout = { keys: byRank, under: (key) => (isWritten(key) ? asMade : ofStatus) };

/** Entries of the lists, and the policy, are written on one line, so that a diff shows each change with its cluster. */
const ofState: Layout = {
  keys: byRank,
  under: (key) => (isWritten(key) ? asMade : (inState.get(key) ?? ofState)),
  onOneLine: (key) => oneLine.has(key),
};
const oneLine: ReadonlySet<string> = new Set([
  'bindings',
  'targetClusters',
  'resourceSnapshots',
  'conditions',
  'policy',
]);

/** One line for each entry. */
const inNodePlan: ReadonlySet<string> = new Set(['pools', 'commands', 'blocked', 'claims', 'failures']);

const layouts: ReadonlyMap<unknown, Layout> = new Map([
  ['PlacementState', ofState],
  // The engine puts the fields of its status in order.
  ['UpdateRun', ofManifest],
  ['NodePlan', { keys: knownFirst, under: () => asMade, onOneLine: (key) => inNodePlan.has(key) }],
]);

const inState: ReadonlyMap<string, Layout> = new Map([
  // Many placements skip a cluster for the same reason.
  ['targetClusters', recurring(ofState)],
  // Omits what reading restores, to keep the long lines of bindings readable.
  [
    'clusterDecision',
    { keys: (map) => byRank(map).filter((key) => !followsFromBinding(map, key)), under: (key) => ofState.under(key) },
  ],
  ['clusterScore', { keys: byRank, under: () => ofState, as: onTheWire }],
  [
    'applyStrategy',
    { keys: (map) => byRank(map).filter((key) => !isDefault(map as Values, key)), under: () => ofState },
  ],
]);

/** KubeFleet's JSON name of the spread score is `priorityScore` (ClusterScore in its placement API). */
function onTheWire(score: Partial<NonNullable<ClusterDecision['clusterScore']>>): object {
  const { topologySpreadScore: priorityScore, ...others } = score;
  return priorityScore === undefined ? others : { ...others, priorityScore };
}

/** The binding has the name, and the reason follows from the score. */
function followsFromBinding(
  { clusterName = '', clusterScore, reason }: Partial<ClusterDecision>,
  key: string,
): boolean {
  if (key === 'clusterName') return true;
  return (
    key === 'reason' && (!reason || (clusterScore !== undefined && reason === reasonFor(clusterName, clusterScore)))
  );
}

const defaultStrategy: Values = applyStrategy.parse({});
const isDefault = (strategy: Values, key: string): boolean =>
  Object.hasOwn(defaultStrategy, key) && strategy[key] === defaultStrategy[key];

type Values = Readonly<Record<string, unknown>>;

/** Keys without a rank come last, by name, so that the order in which a value was built has no effect. */
function byRank(map: object): readonly string[] {
  // Maps of one kind have the same keys a hundred thousand times; keys that users choose must not fill the memory.
  if (shapes > mostShapes) {
    shapes = 0;
    none.after.clear();
  }
  let shape = none;
  for (const key in map) {
    let longer = shape.after.get(key);
    if (!longer) {
      longer = { after: new Map() };
      shape.after.set(key, longer);
      shapes++;
    }
    shape = longer;
  }
  shape.ranked ??= Object.keys(map).sort(
    (a, b) => (rank.get(a) ?? stateKeys.length) - (rank.get(b) ?? stateKeys.length) || (a < b ? -1 : 1),
  );
  return shape.ranked;
}

/** A trie of the key orders of maps: the ranked keys up to here, and the next keys. */
interface Shape {
  ranked?: readonly string[];
  readonly after: Map<string, Shape>;
}
const none: Shape = { after: new Map() };
let shapes = 0;
const mostShapes = 10_000;
