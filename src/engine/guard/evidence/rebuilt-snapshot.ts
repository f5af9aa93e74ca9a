import type { ResourceSnapshotEntry } from '../../../api/placement-state.ts';

/** The hash of snapshots that were rebuilt from members: no contents have it, so none is ever applied. */
export const isRebuiltSnapshot = ({ hash }: ResourceSnapshotEntry): boolean => hash === 'lost';
