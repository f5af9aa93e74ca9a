import type { Manifest } from '../../api/meta.ts';
import { allowWindowsAnnotation, expiryAnnotation } from '../../api/nodes/disruption-modes.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { memoize } from '../kernel/memoize.ts';
import { zeroBudgets } from './allow-windows.ts';
import { defaultBudgets } from './budgets.ts';
import { isNodePool, readPool } from './pool.ts';
import { fieldsAt } from './read-fields.ts';

/**
 * A NodePool as its cluster gets it: the places of v1beta1 that `karpenter.sh/v1` would prune are moved, and windows of the annotation
 * become budgets. What Karpenter up to 1.14 requires is filled in. That it expires gracefully no place says any more, so an annotation
 * does. Any other manifest as it is.
 */
export const deliverable = memoize((manifest: Manifest): Manifest => {
  if (!isNodePool(manifest)) return manifest;
  const adapted = withExpiry(withZeroBudgets(manifest));
  return manifest.apiVersion === 'karpenter.sh/v1' ? withConsolidateAfter(inPlacesOfV1(adapted)) : adapted;
});

/** Also of v1beta1: the API server moves the place itself. */
function withExpiry(manifest: Manifest): Manifest {
  if (readPool(manifest, undefined).profile !== 'karpenter-v1beta1') return manifest;
  const { metadata } = manifest;
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [expiryAnnotation]: 'graceful' } },
  };
}

function withZeroBudgets(manifest: Manifest): Manifest {
  const written = manifest.metadata.annotations?.[allowWindowsAnnotation];
  const zero = written === undefined ? undefined : zeroBudgets(written);
  if (!zero?.ok || zero.budgets.length === 0) return manifest;
  const spec = fieldsAt(manifest, 'spec');
  const disruption = fieldsAt(spec, 'disruption');
  const own = disruption['budgets'] ?? defaultBudgets.map(({ nodes }) => ({ nodes }));
  if (!Array.isArray(own)) return manifest;
  return { ...manifest, spec: { ...spec, disruption: { ...disruption, budgets: [...own, ...zero.budgets] } } };
}

function inPlacesOfV1(manifest: Manifest): Manifest {
  const spec = fieldsAt(manifest, 'spec');
  const { expireAfter, ...disruption } = fieldsAt(spec, 'disruption');
  const template = fieldsAt(spec, 'template');
  const ofNode = fieldsAt(template, 'spec');
  const ref = fieldsAt(ofNode, 'nodeClassRef');
  const isOld = disruption['consolidationPolicy'] === 'WhenUnderutilized';
  const hasOldRef = typeof ref['apiVersion'] === 'string';
  if (expireAfter === undefined && !isOld && !hasOldRef) return manifest;
  const nodeClassRef = hasOldRef ? withGroup(ref) : ofNode['nodeClassRef'];
  return {
    ...manifest,
    spec: {
      ...spec,
      ...(isFields(spec['disruption'])
        ? { disruption: { ...disruption, ...(isOld ? { consolidationPolicy: 'WhenEmptyOrUnderutilized' } : {}) } }
        : {}),
      template: {
        ...template,
        spec: {
          ...ofNode,
          ...(nodeClassRef === undefined ? {} : { nodeClassRef }),
          ...(expireAfter === undefined ? {} : { expireAfter: ofNode['expireAfter'] ?? expireAfter }),
        },
      },
    },
  };
}

/** Up to 1.14 its CustomResourceDefinition has a default for all of `disruption` only, and requires the field in one that is written. */
function withConsolidateAfter(manifest: Manifest): Manifest {
  const spec = fieldsAt(manifest, 'spec');
  const { disruption } = spec;
  if (!isFields(disruption) || (disruption['consolidateAfter'] ?? undefined) !== undefined) return manifest;
  return { ...manifest, spec: { ...spec, disruption: { ...disruption, consolidateAfter: '0s' } } };
}

function withGroup({ apiVersion, ...ref }: Fields): Fields {
  return { group: ref['group'] ?? String(apiVersion).split('/')[0], ...ref };
}
