import type { Taint } from './member-cluster.ts';

/** The taint that `kubectl fleet drain` sets and `uncordon` removes (KubeFleet tools/utils, CordonTaint). */
export const cordonTaint: Taint = { key: 'cordon-key', value: 'cordon-value', effect: 'NoSchedule' };

/** Whether a taint cordons, whatever its value. */
export const isCordon = ({ key, effect }: Taint): boolean => key === cordonTaint.key && effect === cordonTaint.effect;
