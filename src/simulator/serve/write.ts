import { messageOf } from '../../api/message-of.ts';
import { textAt } from '../../engine/kernel/at.ts';
import { forbiddenField, invalidField, requiredField } from '../../engine/server-rules/cause.ts';
import type { Cluster } from '../cluster.ts';
import { type Kind, storageKey } from '../kinds/kind.ts';
import type { Stored } from '../object.ts';
import { jsonPatch, type Operation } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { strategicMerge } from '../patch/strategic.ts';
import type { Fields } from '../schema/schema.ts';
import { create, replace, type WriteOptions } from '../storage/write.ts';
import { apply, type Written } from './apply.ts';
import { checkBody, dryRunOf, managerOf, parseBody, parseObject, placed, validationOf } from './body.ts';
import type { SimRequest } from './http.ts';
import { invalid, invalidOptions, notFound, StatusError } from './status-error.ts';

export interface ObjectPath {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly subresource?: string | undefined;
}

export async function post(
  cluster: Cluster,
  kind: Kind,
  request: SimRequest,
  namespace: string | undefined,
): Promise<Written> {
  const body = placed(kind, await parseObject(request), { namespace });
  const checked = checkBody(kind, body, { validation: validationOf(request.query), text: request.body ?? '' });
  const object = create(cluster, kind, checked.object, options(request, undefined));
  return { object, created: true, warnings: checked.warnings };
}

export async function put(cluster: Cluster, kind: Kind, request: SimRequest, path: ObjectPath): Promise<Written> {
  const body = placed(kind, await parseObject(request), path);
  const checked = checkBody(kind, body, { validation: validationOf(request.query), text: request.body ?? '' });
  const live = existing(cluster, kind, path);
  const version = (checked.object['metadata'] as Fields)['resourceVersion'];
  // Built-in kinds allow an update without a resourceVersion; custom resources do not.
  if (kind.custom && version === undefined)
    throw invalid(kind, path.name, [
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: 0x0: must be specified for an update',
        field: 'metadata.resourceVersion',
      },
    ]);
  const object = replace(cluster, kind, live, checked.object, options(request, path.subresource));
  return { object, created: false, warnings: checked.warnings };
}

export async function patch(cluster: Cluster, kind: Kind, request: SimRequest, path: ObjectPath): Promise<Written> {
  const type = mediaTypeOf(request);
  if (type === 'application/apply-patch+yaml') return apply(cluster, kind, request, path);
  if (request.query.get('force') !== null)
    throw invalidOptions('PatchOptions', forbiddenField('force', 'may not be specified for non-apply patch'));
  requirePatchType(kind, type);
  const sent = await parseBody(request);
  const live = existing(cluster, kind, path);
  const patched = patchObject(kind, live, type, sent);
  const uid = textAt(patched, 'metadata', 'uid');
  if (uid !== '' && uid !== live.metadata.uid)
    throw invalid(kind, path.name, [invalidField('metadata.uid', uid, 'field is immutable')]);
  const checked = checkBody(kind, placed(kind, patched, path), {
    validation: validationOf(request.query),
    text: request.body ?? '',
    patch: true,
  });
  const object = replace(cluster, kind, live, checked.object, options(request, path.subresource));
  return { object, created: false, warnings: checked.warnings };
}

/** Without its parameters. */
export const mediaTypeOf = (request: SimRequest): string =>
  (request.headers['content-type'] ?? '').split(';')[0]!.trim();

const patchTypes = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];
const strategicType = 'application/strategic-merge-patch+json';

/** Custom resources have no strategic merge patches: their schemas have no merge keys. */
export function requirePatchType(kind: Kind, type: string): void {
  const accepted = kind.custom ? patchTypes : [...patchTypes, strategicType];
  if (!accepted.includes(type))
    throw new StatusError(
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    );
}

/** Applies a patch of a supported media type. */
export function patchObject(kind: Kind, live: Fields, type: string, sent: unknown): Fields {
  try {
    if (type === 'application/json-patch+json') return jsonPatch(live, sent as readonly Operation[]) as Fields;
    if (type === strategicType) return strategicMerge(live, sent, kind.schema) as Fields;
    return mergePatch(live, sent) as Fields;
  } catch (error) {
    const why = messageOf(error);
    throw new StatusError(422, 'Invalid', `the server rejected our request due to an error in our request: ${why}`, {
      causes: [requiredField('patch', why)],
    });
  }
}

function existing(cluster: Cluster, kind: Kind, path: ObjectPath): Stored {
  const live = cluster.store.get(storageKey(kind), path);
  if (!live) throw notFound(kind, path.name);
  return live;
}

export const options = (request: SimRequest, subresource: string | undefined): WriteOptions => ({
  manager: managerOf(request),
  subresource,
  dryRun: dryRunOf(request.query),
});
