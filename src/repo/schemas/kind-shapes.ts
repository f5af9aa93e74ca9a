import type { Issue } from '../../api/issue.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { builtInShape } from './built-in-shapes.ts';
import { crdShapes, type Written } from './crd-shapes.ts';
import { ignoredProtection } from './pod-annotations.ts';
import { refusals } from './refusals.ts';
import { missingFields, type Shape, shapeIssues } from './shape.ts';
import { unmatchedTemplate } from './template-labels.ts';

/** Finds what in a manifest its kind does not have. Kinds that neither Kubernetes nor the repo defines are left alone. */
export type ShapeCheck = (manifest: object) => readonly Issue[];

/** Checks the kinds that Kubernetes itself serves. */
export const builtInIssues: ShapeCheck = checkBy(shapeIssues, builtIn);

/** Checks the kinds of CustomResourceDefinitions among the documents. */
export function declaredCheck(documents: readonly Written[]): ShapeCheck {
  const declared = crdShapes(documents);
  if (declared.size === 0) return () => [];
  return checkBy(known, (kind) => (builtIn(kind) ? undefined : declared.get(keyOf(kind))));
}

/** Finds in both what else API servers refuse, which an override may correct, and protection of pods that is not read. */
export function completenessCheck(documents: readonly Written[]): ShapeCheck {
  const declared = crdShapes(documents);
  return checkBy(
    (manifest, shape) => [
      ...missingFields(manifest, shape),
      ...refusals(manifest),
      ...unmatchedTemplate(manifest),
      ...ignoredProtection(manifest),
    ],
    (kind) => builtIn(kind) ?? declared.get(keyOf(kind)),
  );
}

function checkBy(
  issuesOf: (manifest: object, shape: Shape) => readonly Issue[],
  shapeOf: (kind: Kind) => Shape | undefined,
): ShapeCheck {
  const issuesIn = (manifest: object): readonly Issue[] => {
    const kind = kindOf(manifest);
    const shape = kind && shapeOf(kind);
    return shape === undefined ? [] : issuesOf(manifest, shape);
  };
  return (manifest) => {
    const inside = enveloped(manifest);
    if (inside.length === 0) return issuesIn(manifest);
    return inside.flatMap(([key, inner]) =>
      issuesIn(inner).map((issue) => ({ ...issue, path: ['data', key, ...issue.path] })),
    );
  };
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

function builtIn({ group, version, kind }: Kind): Shape | undefined {
  return builtInShape(group, version, kind);
}

const keyOf = ({ group, version, kind }: Kind): string => `${group}/${version}/${kind}`;

function kindOf(value: unknown): Kind | undefined {
  const { apiVersion, kind } = value as { readonly apiVersion?: unknown; readonly kind?: unknown };
  return typeof apiVersion === 'string' && typeof kind === 'string'
    ? { ...groupVersionOf(apiVersion), kind }
    : undefined;
}

/** The manifests in a typed envelope, by key. */
export function enveloped(value: object): readonly (readonly [string, object])[] {
  const { kind, apiVersion, data } = value as { readonly [field in 'kind' | 'apiVersion' | 'data']?: unknown };
  const isTyped =
    (kind === 'ResourceEnvelope' || kind === 'ClusterResourceEnvelope') &&
    String(apiVersion).startsWith('placement.kubernetes-fleet.io/');
  if (!isTyped || typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([key, inner]) =>
    typeof inner === 'object' && inner !== null ? [[key, inner as object] as const] : [],
  );
}

/** Found once for each manifest and shape, since most files do not change from load to load. */
const found = new WeakMap<object, { readonly shape: Shape; readonly issues: readonly Issue[] }>();

function known(manifest: object, shape: Shape): readonly Issue[] {
  const before = found.get(manifest);
  if (before?.shape === shape) return before.issues;
  const issues = shapeIssues(manifest, shape);
  found.set(manifest, { shape, issues });
  return issues;
}
