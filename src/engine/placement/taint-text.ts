import type { Taint } from '../../api/member-cluster.ts';

/** A taint as kubectl writes it: `key=value:NoSchedule`, `key:NoSchedule`. */
export const taintText = ({ key, value, effect }: Taint): string => `${key}${value ? `=${value}` : ''}:${effect}`;
