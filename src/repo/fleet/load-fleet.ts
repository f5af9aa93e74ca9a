import type { Issue } from '../../api/issue.ts';
import { type FleetObject, kindOf } from '../../api/kinds.ts';
import type { Manifest, PlacementKey } from '../../api/meta.ts';
import { isPlacement, placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import { writtenRef } from '../../api/written-ref.ts';
import { type Fleet, sourceKey } from '../../engine/input.ts';
import { completenessCheck } from '../schemas/kind-shapes.ts';
import type { RepoTree, TreeFile } from '../tree.ts';
import { addedFields } from './added-fields.ts';
import { danglingOf } from './dangling.ts';
import { faultyDocuments } from './faulty-documents.ts';
import { type Finding, locate, type Placed } from './finding.ts';
import { fleetObjects, namesStrategy } from './fleet-objects.ts';
import { hubObjects } from './hub-objects.ts';
import { fleetRowOf } from './kinds/rows.ts';
import { type LoadCache, memoryCache } from './load-cache.ts';
import { meantManifest } from './misspelt-kinds.ts';
import { placeProblems } from './place-problems.ts';
import { byPosition } from './positions.ts';
import { type Documents, readDocuments } from './read-documents.ts';
import { sortDocuments } from './sort-documents.ts';
import { sortFleet } from './sort-fleet.ts';
import { usableFiles } from './usable-files.ts';

/**
 * Reads a fleet repo: fleet objects by their API group in any folder, and everything under `resources/` as a hub would have it. An
 * invalid file never stops the rest: its objects are in `refused`, or the file in `unreadable`. The order of files has no effect, and
 * unchanged objects keep their identity with the same cache. `incomplete`: warns about resources that lack required fields, and about
 * references of refused objects, too.
 */
export async function loadFleet(
  tree: RepoTree,
  cache: LoadCache = memoryCache(),
  { incomplete = false }: { readonly incomplete?: boolean } = {},
): Promise<Fleet> {
  const usable = await usableFiles(tree, (oid) => cache.get(oid)?.size);
  const documents = await readDocuments(tree, usable, cache);
  const sorted = sortDocuments(documents.placed);
  const fleet = fleetObjects(sorted.fleet, filesWithErrors(usable.problems, documents.problems, sorted.findings));
  const envelopes = fleet.accepted.flatMap(({ object, placed }) => (fleetRowOf(object).isResource ? [placed] : []));
  const manifests = [...sorted.hub, ...envelopes];
  const hub = hubObjects(manifests);
  const objects = fleet.accepted.map(({ object }) => object);
  const lacking = incomplete ? lackingFields(manifests, hub.findings, objects) : [];
  const findings = [...sorted.findings, ...fleet.findings, ...hub.findings, ...lacking];
  const located = await locate(findings, tree, usable.files);
  const read = {
    objects,
    beingDeleted: fleet.beingDeleted.map(({ object }) => object),
    resources: hub.objects,
    invalidPools: hub.invalidPools,
    refused: [...documents.refused, ...sorted.refused, ...fleet.refused, ...hub.refused],
    whyRefused: firstErrors(findings, located),
    unreadable: [
      ...usable.refused,
      ...documents.unreadable,
      ...sorted.unreadable,
      ...fleet.unreadable,
      ...hub.unreadable,
    ],
    problems: [...usable.problems, ...documents.problems, ...located].sort(byPosition),
    sources: new Map(
      [...sorted.fleet, ...sorted.hub.filter(isNodePool)].flatMap(({ value, file, line, inside }) => {
        const ref = writtenRef(value);
        return ref ? [[sourceKey(ref.kind, ref), { file, line, ...(inside.length > 0 && { inside }) }] as const] : [];
      }),
    ),
    withoutStrategy: new Set(
      [...fleet.accepted, ...fleet.beingDeleted].flatMap(({ object, placed }) => withoutStrategy(object, placed.value)),
    ),
    noApprovalCounts: fleet.noApprovalCounts,
    notActedOn: fleet.accepted.flatMap(({ object }) =>
      kindOf(object).notActedOn?.(object) === undefined ? [] : (writtenRef(object) ?? []),
    ),
  };
  if (!incomplete) return sortFleet(read);
  const supposed = sortFleet({ ...read, objects: [...read.objects, ...fleet.supposed] });
  const dangling = await placeProblems(danglingOf(supposed, fleet.supposed), async () => tree);
  const places = new Set(located.map(placeOf));
  const others = dangling.filter((problem) => !places.has(placeOf(problem)));
  const ofFaulty = await faultyProblems(documents, tree, usable.files);
  return sortFleet({ ...read, problems: [...read.problems, ...others, ...ofFaulty].sort(byPosition) });
}

/** What else is wrong in documents that were refused as YAML. On the lines of those problems it may follow from them. */
async function faultyProblems(
  documents: Pick<Documents, 'placed' | 'problems'>,
  written: RepoTree,
  files: readonly TreeFile[],
): Promise<readonly Problem[]> {
  const { placed, problems } = documents;
  if (problems.length === 0) return [];
  const { faulty, tree } = await faultyDocuments(documents, written, files);
  if (faulty.length === 0) return [];
  const { fleet, hub, findings } = sortDocuments([...placed, ...faulty]);
  const ofHub = hubObjects(hub).findings;
  const ofFleet = fleetObjects(fleet);
  const objects = ofFleet.accepted.map(({ object }) => object);
  const all = [...findings, ...ofFleet.findings, ...ofHub, ...lackingFields(hub, ofHub, objects)];
  const starts = new Set(faulty.map(startOf));
  const found = await locate(
    all.filter((finding) => starts.has(startOf(finding.placed))),
    tree,
    files,
  );
  const lines = new Set(problems.map(({ file, line }) => `${file}:${line}`));
  return found.filter(({ file, line }) => !lines.has(`${file}:${line}`));
}

const startOf = ({ file, line }: Placed): string => `${file}:${line}`;

const placeOf = ({ file, line, column }: Problem): string => `${file}:${line}:${column}`;

/** Without what is about a field that another finding is about, or below one of a wrong type or a missing one, and what overrides add. */
function lackingFields(
  manifests: readonly Placed[],
  found: readonly Finding[],
  objects: readonly FleetObject[],
): Finding[] {
  const missing = completenessCheck(manifests);
  const isAdded = addedFields(objects);
  const ofObject = Map.groupBy(found, ({ placed }) => placed);
  return manifests.flatMap((placed) => {
    const issues = (ofObject.get(placed) ?? []).map(({ issue }) => issue);
    const ref = writtenRef(placed.value);
    return missing(meantManifest(placed.value as Manifest)).flatMap((issue) => {
      if (issues.some((other) => follows(issue, other))) return [];
      if (ref && issue.code === 'field-required' && isAdded(placed.value as Manifest, issue.path)) return [];
      issues.push(issue);
      return [{ placed, issue, ref }];
    });
  });
}

function follows({ path }: Issue, { path: other, code }: Issue): boolean {
  const isBelow = other.every((part, at) => part === path[at]);
  return isBelow && (other.length === path.length || code === 'wrong-type' || code === 'field-required');
}

function filesWithErrors(
  usable: readonly Problem[],
  documents: readonly Problem[],
  sorted: readonly Finding[],
): ReadonlySet<string> {
  const found = [
    ...usable,
    ...documents,
    ...sorted.map(({ placed: { file }, issue: { severity } }) => ({ file, severity })),
  ];
  return new Set(found.flatMap(({ file, severity }) => (severity === 'error' ? (file ?? []) : [])));
}

/** The first error of each object, by `sourceKey`. `located`: the problem of each finding. */
function firstErrors(findings: readonly Finding[], located: readonly Problem[]): Fleet['whyRefused'] {
  const errors = findings.flatMap(({ ref, issue }, at) =>
    ref && issue.severity === 'error' ? [{ key: sourceKey(ref.kind, ref), problem: located[at]! }] : [],
  );
  const lastFirst = errors.sort((a, b) => byPosition(b.problem, a.problem));
  return new Map(lastFirst.map(({ key, problem }) => [key, problem]));
}

/** Planning finds problems in NodePools, too. */
const isNodePool = ({ value }: { readonly value: { readonly kind?: unknown } }): boolean => value.kind === 'NodePool';

function withoutStrategy(object: FleetObject, written: object): PlacementKey[] {
  return isPlacement(object) && !namesStrategy(written) ? [placementKey(object.metadata)] : [];
}
