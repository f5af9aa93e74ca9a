import type { Manifest } from '../../api/meta.ts';

/** A Secret of Kubernetes, not one of a custom kind of that name. */
export const isSecret = ({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean =>
  apiVersion === 'v1' && kind === 'Secret';
