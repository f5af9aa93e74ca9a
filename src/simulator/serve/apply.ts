import { at, textAt } from '../../engine/kernel/at.ts';
import { requiredField } from '../../engine/server-rules/cause.ts';
import type { Cluster } from '../cluster.ts';
import { applyFields, type Conflict } from '../fields/ownership.ts';
import { apiVersionOf, type Kind, storageKey } from '../kinds/kind.ts';
import type { Stored } from '../object.ts';
import { type Fields, isFields } from '../schema/schema.ts';
import { decode } from '../storage/decode.ts';
import { commit, complete, requireNamespace, type WriteOptions } from '../storage/write.ts';
import { dryRunOf, duplicates, managerOf, parseObject, placed, validationOf } from './body.ts';
import type { SimRequest } from './http.ts';
import { badRequest, conflict, invalidOptions, notFound, StatusError, staleVersion } from './status-error.ts';

export interface Written {
  readonly object: Stored;
  readonly created: boolean;
  readonly warnings: readonly string[];
}

/** Server-side apply. */
export async function apply(
  cluster: Cluster,
  kind: Kind,
  request: SimRequest,
  path: { readonly namespace?: string | undefined; readonly name: string; readonly subresource?: string | undefined },
): Promise<Written> {
  const { query } = request;
  const manager = managerOf(request);
  if (!query.get('fieldManager'))
    throw invalidOptions('PatchOptions', requiredField('fieldManager', 'is required for apply patch'));
  const body = await parseObject(request);
  if (textAt(body, 'apiVersion') !== apiVersionOf(kind))
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${textAt(body, 'apiVersion')}, expected: ${apiVersionOf(kind)}`,
    );
  if (at(body, 'metadata', 'managedFields') !== undefined) throw badRequest('metadata.managedFields must be nil');
  const applied = typed(kind, placed(kind, body, path));
  const warnings = checkDuplicates(request);

  const live = cluster.store.get(storageKey(kind), path);
  const sentUid = textAt(applied, 'metadata', 'uid');
  const sentVersion = textAt(applied, 'metadata', 'resourceVersion');
  if (live && sentVersion !== '' && sentVersion !== live.metadata.resourceVersion) throw staleVersion(kind, path.name);
  if (live && sentUid !== '' && sentUid !== live.metadata.uid) throw staleVersion(kind, path.name);
  // A version is ignored for a missing object, a uid is not (kube-apiserver, endpoints/handlers/patch.go, applyPatch).
  if (!live && sentUid !== '') {
    const why = `uid mismatch: the provided object specified uid ${sentUid}, and no existing object was found`;
    throw conflict(kind, path.name, why);
  }
  if (!live && path.subresource !== undefined) throw notFound(kind, path.name);
  if (!live && kind.namespaced) requireNamespace(cluster, kind, path.name, path.namespace ?? '');

  const options: WriteOptions = { manager, subresource: path.subresource, dryRun: dryRunOf(query) };
  const owned = applyFields({
    live,
    applied: writable(kind, applied, path.subresource),
    schema: kind.schema,
    writer: { manager, apiVersion: apiVersionOf(kind), subresource: path.subresource, time: cluster.timestamp() },
    force: query.get('force') === 'true',
    finish: (merged) => complete(cluster, kind, live, merged, options),
  });
  if (owned.kind === 'conflict') throw applyConflict(owned.conflicts);
  return { object: commit(cluster, kind, live, owned.object, options), created: !live, warnings };
}

/** Removes fields of other endpoints from the applied object, so that they get no owner here. */
function writable(kind: Kind, applied: Fields, subresource: string | undefined): Fields {
  if (subresource === 'status') {
    const { apiVersion, kind: name, metadata, status } = applied;
    const { name: objectName, namespace } = metadata as Fields;
    return {
      apiVersion,
      kind: name,
      metadata: { name: objectName, ...(namespace === undefined ? {} : { namespace }) },
      status,
    };
  }
  if (!kind.status) return applied;
  const { status: _, ...rest } = applied;
  return rest;
}

/**
 * Checks the body against the schema. Kubernetes responds with 500 without a reason to unknown fields here, with any fieldValidation
 * (kubernetes issue 139253, up to 1.35), so the simulator does the same.
 */
function typed(kind: Kind, body: Fields): Fields {
  const decoded = decode(body, kind.schema);
  const subject = `(${textAt(body, 'metadata', 'namespace')}/${textAt(body, 'metadata', 'name')}; ${apiVersionOf(kind)}, Kind=${kind.kind})`;
  const problems = [
    ...decoded.unknown.map((path) => `.${path}: field not declared in schema`),
    ...decoded.keyless.map(
      ({ path, index, key }) =>
        `.${path}: element ${index}: associative list with keys has an element that omits key field ${JSON.stringify(key)} (and doesn't have default value)`,
    ),
    ...decoded.repeated.map(({ path, key }) => `.${path}: duplicate entries for key ${keyText(key)}`),
    ...decoded.wrong.map(
      ({ path, want, value }) =>
        `.${path}: expected ${want}, got &value.valueUnstructured{Value:${JSON.stringify(value)}}`,
    ),
  ];
  if (problems.length > 0) {
    const text =
      problems.length === 1 ? problems[0] : `errors:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;
    throw new StatusError(500, '', `failed to create typed patch object ${subject}: ${text}`);
  }
  return decoded.object;
}

/** `[name="main"]` for the key of a list of objects, `["x"]` for an item of a set. */
const keyText = (key: unknown): string =>
  isFields(key)
    ? `[${Object.entries(key)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`
    : `[${JSON.stringify(key)}]`;

function checkDuplicates(request: SimRequest): string[] {
  const validation = validationOf(request.query);
  if (validation === 'Ignore') return [];
  const found = duplicates(request.body ?? '').map(
    (path) => `key ${JSON.stringify(path.split('.').at(-1))} already set in map`,
  );
  if (found.length > 0 && validation === 'Strict')
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${found.join('\n  ')}`,
    );
  return found;
}

/** The message of the API server (managedfields/internal/conflict.go). */
function applyConflict(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.map((conflict) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${managerText(conflict)}`,
    field: conflict.field,
  }));
  return new StatusError(409, 'Conflict', conflictText(conflicts), { causes });
}

function conflictText(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${managerText(first!)}: ${first!.field}`;
  const lines = [...Map.groupBy(conflicts, managerText)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([who, all]) => [`conflicts with ${who}:`, ...all.map(({ field }) => `- ${field}`)]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function managerText({ manager, subresource, operation, apiVersion, time }: Conflict): string {
  const who =
    JSON.stringify(manager) + (subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`);
  if (operation !== 'Update') return who;
  return `${who} using ${apiVersion}${time === '' ? '' : ` at ${time}`}`;
}
