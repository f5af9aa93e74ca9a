import { type Stored, textAt } from './object.ts';

/** A pod that has ended: it holds no place on its node any more. */
export const isFinished = (pod: Stored): boolean => ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
