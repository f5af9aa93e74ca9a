import { at, fieldsAt, textAt } from '../../engine/kernel/at.ts';
import type { Cluster } from '../cluster.ts';
import { same } from '../fields/compare.ts';
import { updateFields } from '../fields/ownership.ts';
import { apiVersionOf, type Kind, storageKey } from '../kinds/kind.ts';
import type { Stored } from '../object.ts';
import { nameSuffix, uuid } from '../random.ts';
import type { Fields } from '../schema/schema.ts';
import { alreadyExists, forbidden, invalid, notFound, StatusError, staleVersion } from '../serve/status-error.ts';
import { withDefaults } from './defaults.ts';
import { immutableCauses } from './immutable.ts';
import { prepare } from './prepare.ts';
import { finishDeletion } from './remove.ts';
import { validate } from './validate.ts';

export interface WriteOptions {
  /** Field manager; undefined for controllers, whose writes have no owner. */
  readonly manager?: string | undefined;
  readonly subresource?: string | undefined;
  readonly dryRun?: boolean;
}

const namespaces = { group: '', plural: 'namespaces', kind: 'Namespace' };

/** Stores a new object; `body` is decoded already. Throws StatusError. */
export function create(cluster: Cluster, kind: Kind, body: Fields, options: WriteOptions): Stored {
  const generateName = textAt(body, 'metadata', 'generateName');
  const name =
    textAt(body, 'metadata', 'name') || (generateName === '' ? '' : generateName + nameSuffix(cluster.random));
  const namespace = textAt(body, 'metadata', 'namespace');
  if (textAt(body, 'metadata', 'resourceVersion') !== '')
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
  if (kind.namespaced) requireNamespace(cluster, kind, name, namespace);
  if (cluster.store.get(storageKey(kind), { namespace, name })) throw alreadyExists(kind, name);
  const whole = complete(
    cluster,
    kind,
    undefined,
    { ...body, metadata: { ...fieldsAt(body, 'metadata'), name } },
    options,
  );
  const owned = owning(cluster, kind, undefined, whole, options);
  return commit(cluster, kind, undefined, owned, options);
}

/** A namespaced object needs its namespace, and one that is not being deleted. */
export function requireNamespace(cluster: Cluster, kind: Kind, name: string, namespace: string): void {
  const found = cluster.store.get('/namespaces', { name: namespace });
  if (!found) throw notFound(namespaces, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  throw forbidden(kind, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

/** Replaces an object with the result of an update or a patch. */
export function replace(cluster: Cluster, kind: Kind, live: Stored, next: Fields, options: WriteOptions): Stored {
  const name = live.metadata.name;
  const sentVersion = textAt(next, 'metadata', 'resourceVersion');
  if (sentVersion !== '' && sentVersion !== live.metadata.resourceVersion) throw staleVersion(kind, name);
  const sentUid = textAt(next, 'metadata', 'uid');
  if (sentUid !== '' && sentUid !== live.metadata.uid)
    throw new StatusError(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${kind.plural} "${name}": Precondition failed: UID in precondition: ${sentUid}, UID in object meta: ${live.metadata.uid}`,
    );
  const whole = complete(cluster, kind, live, next, options);
  const owned = owning(cluster, kind, live, whole, options);
  return commit(cluster, kind, live, owned, options);
}

/** Ownership after a write; controllers do not change it. */
function owning(cluster: Cluster, kind: Kind, live: Stored | undefined, next: Fields, options: WriteOptions): Fields {
  if (options.manager === undefined) {
    const managed = at(live, 'metadata', 'managedFields');
    return managed === undefined
      ? next
      : { ...next, metadata: { ...fieldsAt(next, 'metadata'), managedFields: managed } };
  }
  const writer = {
    manager: options.manager,
    apiVersion: apiVersionOf(kind),
    subresource: options.subresource,
    time: cluster.timestamp(),
  };
  return updateFields({ live, next, schema: kind.schema, writer });
}

/**
 * The object to store: with defaults, with the parts that this endpoint may not write taken from the live object, and with the
 * metadata that the server sets.
 */
export function complete(
  cluster: Cluster,
  kind: Kind,
  live: Stored | undefined,
  next: Fields,
  options: WriteOptions,
): Fields {
  const throughStatus = options.subresource === 'status';
  const source = throughStatus && live ? { ...live, status: next['status'] } : next;
  const { status, ...main } = source;
  const own = kind.status && !throughStatus && options.manager !== undefined ? live?.['status'] : status;
  const parts = own === undefined ? main : { ...main, status: own };
  const defaulted = withDefaults({ ...parts, apiVersion: apiVersionOf(kind), kind: kind.kind }, kind.schema) as Fields;
  const metadata = serverMetadata(
    cluster,
    kind,
    live,
    fieldsAt(throughStatus ? next : defaulted, 'metadata'),
    throughStatus,
  );
  return withGeneration(prepare({ ...defaulted, metadata }, live, kind, cluster.allocate), live, kind);
}

function serverMetadata(
  cluster: Cluster,
  kind: Kind,
  live: Stored | undefined,
  sent: Fields,
  throughStatus: boolean,
): Fields {
  const wanted = throughStatus && live ? { ...live.metadata, managedFields: sent['managedFields'] } : sent;
  const { selfLink: _s, deletionTimestamp: _d, deletionGracePeriodSeconds: _g, resourceVersion: _r, ...rest } = wanted;
  for (const key of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    const value = rest[key];
    if (value !== undefined && value !== null && Object.keys(value as object).length === 0) delete rest[key];
  }
  if (rest['managedFields'] === undefined) delete rest['managedFields'];
  if (!kind.namespaced) delete rest['namespace'];
  if (!live) {
    return { ...rest, uid: uuid(cluster.random), resourceVersion: '', creationTimestamp: cluster.timestamp() };
  }
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, resourceVersion } =
    live.metadata;
  return {
    ...rest,
    uid,
    resourceVersion,
    creationTimestamp,
    ...(generation === undefined ? {} : { generation }),
    ...(deletionTimestamp === undefined
      ? {}
      : { deletionTimestamp, deletionGracePeriodSeconds: deletionGracePeriodSeconds ?? 0 }),
  };
}

function withGeneration(next: Fields, live: Stored | undefined, kind: Kind): Fields {
  if (!kind.generation) return next;
  const metadata = fieldsAt(next, 'metadata');
  const before = live?.metadata.generation;
  const changed = live !== undefined && !same(counted(live, kind), counted(next, kind));
  return { ...next, metadata: { ...metadata, generation: before === undefined ? 1 : changed ? before + 1 : before } };
}

/**
 * The fields that a generation counts: all except metadata and a status with its own endpoint. Also a Deployment's annotations, since
 * its ReplicaSets get them (deployment/strategy.go).
 */
function counted(object: Fields, kind: Kind): Fields {
  const { metadata, status, ...rest } = object;
  return {
    ...rest,
    ...(kind.status ? {} : { status }),
    ...(storageKey(kind) === 'apps/deployments' ? { annotations: fieldsAt(metadata, 'annotations') } : {}),
  };
}

/** Checks and stores. An unchanged object keeps its resource version. */
export function commit(
  cluster: Cluster,
  kind: Kind,
  live: Stored | undefined,
  next: Fields,
  options: WriteOptions,
): Stored {
  const object = next as unknown as Stored;
  if (options.manager !== undefined) {
    const causes = validate(next, kind);
    if (live) causes.push(...immutableCauses(live, next, kind));
    if (causes.length > 0) throw invalid(kind, object.metadata.name, causes);
  }
  if (live && same(live, object)) return live;
  if (live?.metadata.deletionTimestamp !== undefined) {
    const added = (object.metadata.finalizers ?? []).filter((item) => !live.metadata.finalizers?.includes(item));
    if (added.length > 0)
      throw invalid(kind, object.metadata.name, [
        {
          reason: 'FieldValueForbidden',
          message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`,
          field: 'metadata.finalizers',
        },
      ]);
  }
  if (options.dryRun) return object;
  return finishDeletion(cluster, kind, cluster.store.put(storageKey(kind), object));
}

/** Writes of controllers: without owner and validation, at once. Returns the live object when nothing changed. */
export function writeStatus(cluster: Cluster, kind: Kind, live: Stored, status: Fields): Stored {
  if (same(live['status'], status)) return live;
  return cluster.store.put(storageKey(kind), { ...live, status });
}
