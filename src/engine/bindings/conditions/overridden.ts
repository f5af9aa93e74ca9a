import type { Condition } from '../../../api/meta.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { Rendered } from '../../overrides/render.ts';
import { idsOf } from '../../overrides/snapshot-id.ts';

/**
 * Conditions that follow from rendering alone (KubeFleet workgenerator/controller.go): Overridden, and WorkSynchronized=False
 * where an envelope cannot be unpacked, which no override causes.
 */
export function renderingConditions(
  binding: Binding,
  rendered: Rendered,
): Pick<Condition, 'type' | 'status' | 'reason' | 'message'>[] {
  const type = 'Overridden';
  if (!rendered.ok && rendered.reason === 'OverriddenFailed')
    return [{ type, status: 'False', reason: 'OverriddenFailed', message: rendered.message }];
  const overridden =
    idsOf(binding).length > 0
      ? ({
          reason: 'OverriddenSucceeded',
          message: 'Successfully applied the override rules on the resources',
        } as const)
      : { reason: 'NoOverrideSpecified', message: 'No override rules are configured for the selected resources' };
  const first = { type, status: 'True' as const, ...overridden };
  if (rendered.ok) return [first];
  return [first, { type: 'WorkSynchronized', status: 'False', reason: 'SyncWorkFailed', message: rendered.message }];
}
