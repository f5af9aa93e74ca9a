import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { firstOf } from '../kernel/short-list.ts';
import { groupVersionOf } from './group-version.ts';
import { describeRef } from './object-key.ts';

/**
 * Whether an object of others is a reason not to remove the Namespace that it is in, or the CustomResourceDefinition of its kind: it would
 * be lost.
 */
export const isForeignContent = (object: Manifest): boolean => mayBeForeign(object) && !byItself(object);

/** Objects that every namespace gets from Kubernetes, or that are removed with their owner. */
const byItself = ({ apiVersion, kind, metadata }: Manifest): boolean =>
  (apiVersion === 'v1' && kind === 'ServiceAccount' && metadata.name === 'default') ||
  (apiVersion === 'v1' && kind === 'ConfigMap' && metadata.name === 'kube-root-ca.crt') ||
  (Array.isArray(metadata['ownerReferences']) && metadata['ownerReferences'].length > 0);

/** Kinds that controllers write and recreate; only in these groups. */
const writtenByControllers: ReadonlySet<string> = new Set([
  '/Event',
  'events.k8s.io/Event',
  '/Endpoints',
  'discovery.k8s.io/EndpointSlice',
  'coordination.k8s.io/Lease',
  'metrics.k8s.io/PodMetrics',
  'apps/ControllerRevision',
]);

/** Objects of other kinds are never a reason. */
export const mayBeForeign = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean =>
  !writtenByControllers.has(`${groupVersionOf(apiVersion).group}/${kind}`);

/** Number of names in a message: enough to decide whether the objects may be removed. */
const mostNames = 10;

/** The names that a message has of these. */
export const firstNames = (names: readonly string[]): string[] => names.toSorted().slice(0, mostNames);

/** Why a Namespace or CustomResourceDefinition stays: so many objects of others, of which these names are the first. */
export const foreignText = (container: ObjectRef, names: readonly string[], count: number): string =>
  `${describeRef(container)} holds ${count} object(s) that are not of this placement: ${firstOf(names, count)}`;
