import { Document, isMap, isSeq, stringify } from 'yaml';
import type { RecordDocument } from '../engine/plan-document.ts';

/** Key order of Kubernetes objects; every other map keeps the order it was made in. */
const first = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

const options = { lineWidth: 0, aliasDuplicateObjects: false } as const;

/** In a PlacementState these are written on one line: entries of the lists, and the policy, so that a diff shows what happened to which cluster. */
const oneLineEntries: ReadonlySet<string> = new Set(['bindings', 'targetClusters', 'resourceSnapshots', 'conditions']);
const oneLineMaps: ReadonlySet<string> = new Set(['policy']);

/** Key order inside a PlacementState and inside every status, whatever order the engine or an earlier reading left: equal states give equal text. */
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
    'policySnapshotIndex',
    'resourceSnapshotIndex',
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
export function renderRecord(documents: ReadonlyMap<string, RecordDocument>): Map<string, string> {
  const files = new Map<string, string>();
  for (const [path, document] of documents) files.set(path, textOf(document));
  return files;
}

const texts = new WeakMap<object, string>();

function textOf(document: RecordDocument): string {
  const known = texts.get(document.value);
  if (known !== undefined) return known;
  const text = document.kind === 'manifests' ? manifestsText(document.value) : objectText(document.value);
  texts.set(document.value, text);
  return text;
}

const manifestsText = (manifests: readonly object[]): string =>
  manifests.map((manifest) => known(manifest)).join('---\n');

const manifestTexts = new WeakMap<object, string>();
function known(manifest: object): string {
  const text = manifestTexts.get(manifest) ?? stringify(ordered(manifest), options);
  manifestTexts.set(manifest, text);
  return text;
}

function objectText(value: object): string {
  const state = (value as { kind?: unknown }).kind === 'PlacementState';
  const { status } = value as { status?: unknown };
  const whole = status === undefined ? value : { ...value, status: ranked(status) };
  const document = new Document(state ? ranked(value) : ordered(defined(whole) as object), options);
  if (state) flowEntries(document.contents);
  return document.toString({ ...options, flowCollectionPadding: false });
}

function ranked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ranked);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  // Keys without a rank come last, by name, so that the order in which a value was built never shows.
  entries.sort(([a], [b]) => (rank.get(a) ?? stateKeys.length) - (rank.get(b) ?? stateKeys.length) || (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, item]) => [
      key,
      key === 'policy' || key === 'stagedUpdateStrategySnapshot' ? defined(item) : ranked(item),
    ]),
  );
}

function flowEntries(node: unknown): void {
  if (isSeq(node)) for (const entry of node.items) flowEntries(entry);
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    const name = String((key as { value?: unknown }).value);
    if (isMap(value) && oneLineMaps.has(name)) value.flow = true;
    else if (isSeq(value) && oneLineEntries.has(name))
      for (const entry of value.items) if (isMap(entry)) entry.flow = true;
    if (!(isSeq(value) && (name === 'bindings' || name === 'targetClusters'))) flowEntries(value);
  }
}

function ordered(value: object): object {
  const known = first.filter((key) => key in value);
  const rest = Object.keys(value).filter((key) => !first.includes(key));
  return Object.fromEntries([...known, ...rest].map((key) => [key, (value as Record<string, unknown>)[key]]));
}

/** Without members that are undefined: they would be written as null. */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, defined(item)]])),
  );
}
