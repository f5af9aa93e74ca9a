import type { Manifest } from './meta.ts';

/** Whether a value has apiVersion, kind and name, which identify an object. */
export function isManifest(value: unknown): value is Manifest {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<Manifest>;
  return (
    isName(apiVersion) && isName(kind) && isName(metadata?.name) && typeof (metadata?.namespace ?? '') === 'string'
  );
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';
