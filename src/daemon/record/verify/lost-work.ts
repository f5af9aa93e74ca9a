import { type Fleet, type FleetRecord, noneUnread, type WorkFolder, workFiles } from '../../../engine/input.ts';

export const workFolders = Object.keys(workFiles) as readonly WorkFolder[];

export type Work = Fleet[(typeof workFiles)[WorkFolder]][number];

export const workIn = (fleet: Fleet, folder: WorkFolder): readonly Work[] => fleet[workFiles[folder]];

/** The record without this work, which counts as lost: it is held until its file changes. */
export function withLostWork(record: FleetRecord, folder: WorkFolder, names: ReadonlySet<string>): FleetRecord {
  if (names.size === 0) return record;
  const { unread = noneUnread } = record;
  return {
    ...record,
    [folder]: new Map<string, unknown>([...record[folder]].filter(([name]) => !names.has(name))),
    unread: { ...unread, [folder]: unread[folder].union(names) },
  };
}
