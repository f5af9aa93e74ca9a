import type { MemberCluster } from '../../api/member-cluster.ts';
import type { ApprovalRequest, StagedUpdateRun } from '../../api/staged.ts';
import { titleOf } from '../../repo/title-of.ts';
import type { AskedEviction } from '../status/evictions.ts';
import type { Row } from '../status/listing.ts';
import type { Status } from '../status/open-status.ts';
import { type KnownPlacement, knownPlacements } from '../status/placements.ts';
import { waitsInRun, waitsOfApproval, waitsOfCluster, waitsOfPlacement, waitsOfRun } from '../status/waits.ts';
import { whyLate } from '../status/why-late.ts';

/** Top folders of the status branch that the reasons are read from. */
export const foldersOfReasons: readonly string[] = ['placements', 'runs'];

/** Who is waited for until an object of the status branch is as it should be, and why; one line each. */
export function reasonsOf(plural: string, row: Row, status: Status): string[] {
  const placement = knownPlacements(status.record).find(
    ({ title }) => title === (plural === 'placements' ? titleOf(row) : row.placement),
  );
  switch (plural) {
    case 'placements':
      return placement ? waitsOfPlacement(placement, status) : [];
    case 'bindings': {
      const { targetCluster } = (row.value as { readonly spec: { readonly targetCluster: string } }).spec;
      const binding = placement?.state.bindings.find((candidate) => candidate.targetCluster === targetCluster);
      const why = placement && binding && whyLate({ placement, binding }, status);
      return why === undefined ? [] : [why];
    }
    case 'runs':
      return waitsOfUpdateRun(row.value as StagedUpdateRun, placement, status);
    case 'approvals':
      return waitsOfApproval(row.value as ApprovalRequest);
    case 'evictions': {
      const { waits } = row.item as AskedEviction;
      return waits ? [waits.told] : [];
    }
    case 'clusters':
      return waitsOfCluster(row.value as MemberCluster, status);
    default:
      return [];
  }
}

const waitsOfUpdateRun = (run: StagedUpdateRun, placement: KnownPlacement | undefined, status: Status): string[] => [
  ...waitsOfRun(run, status),
  ...(placement ? waitsInRun(run, placement, status) : []),
];
