import { isBeingDeleted } from '../../api/being-deleted.ts';
import type { FleetConfig } from '../../api/gitfleet.ts';
import { type FleetObject, fleetKinds } from '../../api/kinds.ts';
import type { ObjectRef } from '../../api/meta.ts';
import { isPlacement, isPlacementKind, type Placement } from '../../api/placement.ts';
import type { ProblemCode } from '../../api/problem.ts';
import { type Validated, validateFleetObject } from '../../api/validate.ts';
import { validateAcross } from '../../api/validate-fleet.ts';
import { annotationIssues, labelIssues } from './annotation-issues.ts';
import { countingFolder, placeIssues } from './approval-places.ts';
import type { Finding, Placed } from './finding.ts';
import { modeIssues } from './nodes/mode-issues.ts';
import { withHidden, withTriedFixes } from './tried-fixes.ts';
import { windowIssues } from './window-issues.ts';

export interface FleetObjects {
  readonly accepted: readonly { readonly object: FleetObject; readonly placed: Placed }[];
  /** Valid placements with a deletionTimestamp: their deleteStrategy is still needed. */
  readonly beingDeleted: readonly { readonly object: Placement; readonly placed: Placed }[];
  readonly refused: readonly ObjectRef[];
  /** Refused objects without what is wrong in them. */
  readonly supposed: readonly FleetObject[];
  /** Files with a refused object that cannot be identified. */
  readonly unreadable: readonly string[];
  readonly findings: readonly Finding[];
  /** The folder of approvals is not known. */
  readonly noApprovalCounts: boolean;
}

/**
 * Validates objects one by one and together. Refused objects are listed, so that they are held and not read as deleted. An object
 * with a deletionTimestamp is neither accepted nor refused: it is gone, except for the deleteStrategy of a placement. `faulty`: files
 * with errors besides those found here.
 */
export function fleetObjects(documents: readonly Placed[], faulty: ReadonlySet<string> = new Set()): FleetObjects {
  const configs = soundConfigs(documents);
  const strategy = usualStrategy(configs);
  const folder = countingFolder(configs, faulty.union(unsoundConfigs(documents)));
  const validated = documents.map((placed) => ({ placed, ...inItsPlace(placed, { strategy, folder }) }));
  const sound = validated.flatMap((entry) =>
    entry.object && !isBeingDeleted(entry.object) ? [{ ...entry, object: entry.object }] : [],
  );
  const across = validateAcross(sound.map(({ object }) => object));
  const struck = new Set(
    across
      .filter(({ issue }) => issue.severity === 'error' && !judgedLater.has(issue.code))
      .flatMap(({ index, other, issue }) =>
        issue.code === 'duplicate-object' && other !== undefined ? [index, other] : [index],
      ),
  );
  const unsound = validated.filter(({ object }) => !object);
  return {
    accepted: sound.filter((_, index) => !struck.has(index)),
    beingDeleted: validated.flatMap(({ object, placed }) =>
      object && isBeingDeleted(object) && isPlacement(object) ? [{ object, placed }] : [],
    ),
    refused: [
      ...unsound.flatMap(({ ref, issues }) => (ref ? (issues.some(hidesKind) ? ofAnyKind(ref) : [ref]) : [])),
      ...[...struck].flatMap((index) => sound[index]!.ref ?? []),
    ],
    supposed: unsound.flatMap(({ supposed }) => supposed ?? []),
    noApprovalCounts: folder === undefined,
    unreadable: unsound.filter(({ ref }) => !ref).map(({ placed }) => placed.file),
    findings: [
      ...validated.flatMap(({ placed, issues, ref }) => issues.map((issue) => ({ placed, issue, ref }))),
      ...across.map(({ index, issue, other }) => ({
        placed: sound[index]!.placed,
        issue,
        ref: sound[index]!.ref,
        twin: other === undefined ? undefined : sound[other]!.placed,
      })),
    ],
  };
}

/**
 * Errors that do not remove an object from the fleet. An invalid budget blocks; without it there would be no budget. If there are too
 * many overrides, the earlier ones stay in effect, and only the record knows which those are.
 */
const judgedLater: ReadonlySet<ProblemCode> = new Set(['invalid-budget', 'too-many-overrides']);

const hidesKind = ({ code }: { readonly code: ProblemCode }): boolean => code === 'unknown-kind';

/** A misspelt kind may stand for any of ours. */
export const ofAnyKind = (ref: Omit<ObjectRef, 'kind'>): ObjectRef[] =>
  fleetKinds.map(({ kind }) => ({ ...ref, kind }));

function inItsPlace(
  placed: Placed,
  { strategy, folder }: { readonly strategy: unknown; readonly folder: string | undefined },
): Validated {
  const { object, ...validated } = validatedOnce(placed.value, strategy);
  const misplaced = placeIssues({ object }, placed, folder);
  if (misplaced.length > 0) return { ...validated, issues: [...validated.issues, ...misplaced] };
  return { ...validated, ...(object && { object }) };
}

/** A valid FleetConfig, with its written form. */
type SoundConfig = Placed & { readonly object: FleetConfig };

const soundConfigs = (documents: readonly Placed[]): SoundConfig[] =>
  documents.flatMap((placed) => {
    if ((placed.value as { kind?: unknown }).kind !== 'FleetConfig') return [];
    const { object } = validatedOnce(placed.value, undefined);
    return object?.kind === 'FleetConfig' ? [{ ...placed, object }] : [];
  });

/** Files with an invalid object that is a FleetConfig, or may be meant as one. */
const unsoundConfigs = (documents: readonly Placed[]): ReadonlySet<string> =>
  new Set(
    documents.flatMap((placed) => {
      const { kind } = placed.value as { kind?: unknown };
      if (kind !== 'FleetConfig' && fleetKinds.some((known) => known.kind === kind)) return [];
      return validatedOnce(placed.value, undefined).object ? [] : [placed.file];
    }),
  );

/** The first `spec.defaults.strategy`, as written in the file. */
const usualStrategy = (configs: readonly SoundConfig[]): unknown =>
  configs
    .map(({ value }) => (value as WrittenConfig).spec?.defaults?.strategy)
    .find((written) => written !== undefined);

interface WrittenConfig {
  readonly spec?: { readonly defaults?: { readonly strategy?: unknown } | null } | null;
}

/** A placement without a strategy gets the default of the fleet; all else stays as written. */
function withStrategy(document: object, strategy: unknown): object {
  const { kind, spec } = document as { kind?: unknown; spec?: unknown };
  if (strategy === undefined || !isPlacementKind(kind) || typeof spec !== 'object' || spec === null) return document;
  return namesStrategy(document) ? document : { ...document, spec: { ...spec, strategy } };
}

/** An empty `strategy:` counts as absent. */
export const namesStrategy = (document: object): boolean =>
  ((document as { readonly spec?: { readonly strategy?: unknown } | null }).spec?.strategy ?? undefined) !== undefined;

/** Validates one document by itself. An invalid window does not invalidate the rest of a FleetConfig. */
function judged(document: unknown): Validated {
  const validated = validateFleetObject(document);
  const { object, issues } = validated;
  return object
    ? {
        ...validated,
        issues: [
          ...issues,
          ...windowIssues(object),
          ...annotationIssues(object),
          ...labelIssues(object),
          ...modeIssues(object),
        ],
      }
    : validated;
}

/** Caches the validation of a document, so that an unchanged one is the same object in every load. */
const known = new WeakMap<object, { readonly strategy: unknown; readonly validated: Validated }>();

function validatedOnce(document: object, strategy: unknown): Validated {
  const whole = withStrategy(document, strategy);
  const used = whole === document ? undefined : strategy;
  const before = known.get(document);
  if (before && before.strategy === used) return before.validated;
  const validated = withHidden(whole, withTriedFixes(whole, judged), judged);
  known.set(document, { strategy: used, validated });
  return validated;
}
