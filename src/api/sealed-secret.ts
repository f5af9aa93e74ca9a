import type { ObjectRef } from './meta.ts';

/** Whether an object is a SealedSecret, which only the controller that holds its key can open. */
export const isSealedSecret = ({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): boolean =>
  kind === 'SealedSecret' && apiVersion.startsWith('bitnami.com/');
