import { z } from 'zod';
import { autoUpgradeProfile } from '../../../api/auto-upgrade-profile.ts';
import { eviction } from '../../../api/eviction.ts';
import { approvedRemoval } from '../../../api/gitfleet.ts';
import { type MemberCluster, memberCluster } from '../../../api/member-cluster.ts';
import type { ClusterName } from '../../../api/meta.ts';
import { type NodePlan, nodePlan } from '../../../api/nodes/node-plan.ts';
import { approvalRequest, stagedUpdateRun } from '../../../api/staged.ts';
import { upgradeGate } from '../../../api/upgrade-gate.ts';
import { updateRun } from '../../../api/upgrade-run.ts';
import type { FleetRecord, RecordFolder, Unread } from '../../../engine/input.ts';
import { entryFiles, entryFilesOfWork } from './entry-files.ts';
import { overrideFolder } from './overrides.ts';
import { placementFolder } from './placements.ts';
import type { FolderReading, FolderRow, RecordFile, RecordReader } from './row.ts';

/** Every folder of the record. A map of FleetRecord without a row does not compile. */
const rows: { readonly [F in RecordFolder]: FolderRow<F> } = {
  placements: placementFolder,
  overrides: overrideFolder,
  runs: entryFilesOfWork(stagedUpdateRun),
  approvals: entryFiles(z.union([approvalRequest, upgradeGate])),
  evictions: entryFilesOfWork(eviction),
  upgrades: entryFilesOfWork(updateRun),
  profiles: entryFiles(autoUpgradeProfile),
  removals: entryFiles(approvedRemoval),
  nodes: entryFiles<NodePlan, ClusterName>(nodePlan),
  clusters: entryFiles<MemberCluster, ClusterName>(memberCluster),
};

export const recordFolders = Object.keys(rows) as readonly RecordFolder[];

/** The folder of that name; undefined if the record has none. */
export const recordFolder = (name: string | undefined): RecordFolder | undefined =>
  recordFolders.find((known) => known === name);

export const entriesOf = (folder: RecordFolder): 'files' | 'folders' => rows[folder].entries;

/** Whether a folder reads a file; `rest` is its path inside the folder of its entry. */
export const readsFile = (folder: RecordFolder, rest: string): boolean => rows[folder].reads?.(rest) ?? rest === '';

/** The entries of all folders read so far. */
export interface FoldersReading {
  add(folder: RecordFolder, file: RecordFile): void;
  /** Call it after all files were added. */
  record(): Pick<FleetRecord, RecordFolder | 'unread'>;
}

export function openFolders(reader: RecordReader): FoldersReading {
  const opened = new Map(recordFolders.map((folder) => [folder, rows[folder].open(reader) as AnyReading]));
  return {
    add: (folder, file) => opened.get(folder)!.add(file),
    record() {
      const values = [...opened].map(([folder, reading]) => [folder, reading.values()]);
      const unread = [...opened].flatMap(([folder, reading]) => (reading.unread ? [[folder, reading.unread()]] : []));
      const isAnyUnread = unread.some(([, entries]) => (entries as ReadonlySet<unknown>).size > 0);
      return {
        ...(Object.fromEntries(values) as Pick<FleetRecord, RecordFolder>),
        unread: isAnyUnread ? (Object.fromEntries(unread) as Unread) : undefined,
      };
    },
  };
}

type AnyReading = Omit<FolderReading<RecordFolder>, 'unread'> & { readonly unread: (() => unknown) | undefined };
