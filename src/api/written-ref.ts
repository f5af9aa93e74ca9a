import type { ObjectRef } from './meta.ts';

/** The identity of an object in a file; undefined if it is incomplete. A FleetConfig needs no name: a fleet has only one. */
export function writtenRef(value: object): ObjectRef | undefined {
  const { apiVersion, kind, metadata } = value as { apiVersion?: unknown; kind?: unknown; metadata?: unknown };
  const { name, namespace } = (metadata ?? {}) as { name?: unknown; namespace?: unknown };
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  if (typeof name !== 'string' || name === '')
    return kind === 'FleetConfig' ? { apiVersion, kind, name: 'fleet' } : undefined;
  return { apiVersion, kind, ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}), name };
}
