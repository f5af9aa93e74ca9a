import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { definitionIn } from '../../engine/selection/custom-definition.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { keyOfManifest, refOfManifest } from '../../engine/selection/object-key.ts';
import { builtInScope } from '../../engine/selection/scope.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { Discovery } from '../api-server/discovery.ts';
import type { ServedKind } from '../api-server/served-kind.ts';
import type { AssignedManifest } from '../assignment.ts';
import type { Connection } from '../connection.ts';

/** Finds the kinds of objects on one member, and keeps the objects whose kind the member did not serve. */
export interface KindsServed {
  /** The kind of an object, which is then watched, or why it is not served. Rejects with UnreachableError. */
  find(manifest: Manifest, others: readonly AssignedManifest[]): Promise<ServedKind | { readonly unserved: string }>;
  /** Keys of objects whose kind was not served, of these group-versions. */
  missing(apiVersions: ReadonlySet<string>): readonly string[];
  forget(): void;
}

export function kindsServed({ discovery, watches }: Pick<Connection, 'discovery' | 'watches'>): KindsServed {
  const missing = new Map<string, ObjectRef>();
  return {
    async find(manifest, others) {
      const object = refOfManifest(manifest);
      const key = keyOfManifest(manifest);
      missing.delete(key);
      try {
        const kind = await discovery.find(object.apiVersion, object.kind);
        if (kind) {
          // The kind may be served since the watches of the assignment were started.
          await watches.follow(kind);
          return kind;
        }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { unserved: error.message };
      }
      missing.set(key, object);
      discovery.forget(object.apiVersion);
      const why = whyByDefinition(object, others) ?? (await whyByMember(object, discovery));
      return { unserved: `the member does not serve ${object.kind} of ${object.apiVersion}: ${why}` };
    },
    missing: (apiVersions) =>
      [...missing].flatMap(([key, { apiVersion }]) => (apiVersions.has(apiVersion) ? [key] : [])),
    forget: () => missing.clear(),
  };
}

/** By a CRD of the kind in the same placement; undefined without one. */
function whyByDefinition({ apiVersion, kind }: ObjectRef, others: readonly AssignedManifest[]): string | undefined {
  const definition = others
    .map(({ manifest }) => definitionIn(manifest))
    .find((of) => of?.kind === kind && of.group === groupVersionOf(apiVersion).group);
  if (definition === undefined) return undefined;
  const { served } = definition;
  if (served.includes(apiVersion)) return 'its CRD is in the same placement and not established yet';
  const instead = served.length === 0 ? '' : `write ${served.join(' or ')}, or `;
  return `its CRD, in the same placement, does not serve that version: ${instead}have the CRD serve it`;
}

/** By the versions of the kind that the member serves. */
async function whyByMember({ apiVersion, kind }: ObjectRef, discovery: Discovery): Promise<string> {
  const served = await discovery.otherVersions(apiVersion, kind).catch((error: unknown) => {
    // Only the advice depends on it.
    if (error instanceof ApiError) return [];
    throw error;
  });
  if (served.length === 0) return 'install its CRD, or place it first';
  const isBuiltIn = builtInScope(groupVersionOf(apiVersion).group, kind) !== undefined;
  return `write ${served.join(' or ')}, which it serves${isBuiltIn ? '' : ', or update its CRD'}`;
}
