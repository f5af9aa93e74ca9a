import { textAt } from '../engine/kernel/at.ts';
import type { Stored } from './object.ts';

/** Whether a pod has finished, so that it uses no resources of its node. */
export const isFinished = (pod: Stored): boolean => ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
