import { type Fleet, type FleetRecord, noneUnread, type Unread } from '../../../engine/input.ts';

/** A folder of the record with work that must not happen twice. */
export type WorkFolder = Exclude<keyof Unread, 'placements'>;

/** The list of a fleet with the files of each folder. One without a row does not compile. */
const filesOf = {
  runs: 'runs',
  upgrades: 'upgradeRuns',
  evictions: 'evictions',
} as const satisfies { readonly [F in WorkFolder]: keyof Fleet };

export const workFolders = Object.keys(filesOf) as readonly WorkFolder[];

export type Work = Fleet[(typeof filesOf)[WorkFolder]][number];

export const workIn = (fleet: Fleet, folder: WorkFolder): readonly Work[] => fleet[filesOf[folder]];

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
