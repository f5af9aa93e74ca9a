import type { Manifest } from '../../api/meta.ts';

/** Whether an object is a Kubernetes Secret, not a custom kind of that name. */
export const isSecret = ({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean =>
  apiVersion === 'v1' && kind === 'Secret';
