import { nodeDisruptionAnnotation } from '../../../api/nodes/disruption-modes.ts';
import type { Problem } from '../../../api/problem.ts';
import type { Fleet } from '../../../engine/input.ts';
import { launchesNodes } from '../../../engine/nodes/acting-mode.ts';
import type { PlannedMember } from '../../../engine/nodes/reused-plan.ts';
import { providerAnnotation } from '../../../engine/upgrade/member-annotations.ts';
import { fieldWarning } from '../field-warning.ts';

/**
 * Warnings about members in mode execute with an InstanceCatalog, and without a provider that launches what it lists. Plans hold each
 * command that needs a replacement, as `NoLauncher`.
 */
export const withoutLauncher = (planned: readonly PlannedMember[], fleet: Fleet): Problem[] =>
  planned.flatMap(({ member: { name, annotations, market } }): Problem[] => {
    if (annotations[nodeDisruptionAnnotation] !== 'execute' || market.types === undefined) return [];
    if (launchesNodes(annotations)) return [];
    const provider = annotations[providerAnnotation];
    const who = provider === undefined ? `no ${providerAnnotation} says who does` : `the provider ${provider} does not`;
    const finding = {
      code: 'node-disruption',
      path: `metadata.annotations["${nodeDisruptionAnnotation}"]`,
      why: `nothing launches the types of its InstanceCatalog (${who}): nodes that need a replacement wait (NoLauncher), and only others go`,
      fix: `write ${providerAnnotation}: cluster-api, or mode plan, or delegate where Karpenter runs`,
    } as const;
    return [{ ...fieldWarning(fleet, { kind: 'MemberCluster', name }, finding), rule: 'NoLauncher' }];
  });
