import type { Taint } from '../../api/member-cluster.ts';

/** kubectl's way to write a taint: `key=value:NoSchedule`, `key:NoSchedule`. */
export const taintText = ({ key, value, effect }: Taint): string => `${key}${value ? `=${value}` : ''}:${effect}`;
