import type { Manifest } from './meta.ts';

/** Whether a value says which object it is: enough to tell it from others, whatever else it holds. */
export function isManifest(value: unknown): value is Manifest {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<Manifest>;
  return (
    isName(apiVersion) && isName(kind) && isName(metadata?.name) && typeof (metadata?.namespace ?? '') === 'string'
  );
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';
