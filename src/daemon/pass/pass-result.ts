import type { Fleet } from '../../engine/input.ts';
import type { Plan } from '../../engine/plan-document.ts';

/** What reports need of the fleet. Its manifests stay out, since they may be Secrets. */
export type ReportedFleet = Pick<Fleet, 'members' | 'versionCatalogs' | 'priceLists'>;

export const reportedFleet = ({ members, versionCatalogs, priceLists }: Fleet): ReportedFleet => ({
  members,
  versionCatalogs,
  priceLists,
});

/** The result of one pass. */
export type PassResult =
  /** `subject`: the first line of the status commit, when one was made. */
  | {
      readonly kind: 'published' | 'unchanged' | 'refused';
      readonly plan: Plan;
      /** The plan starts something on a member. */
      readonly starts: boolean;
      readonly fleet: ReportedFleet;
      readonly subject?: string;
    }
  /** The plan waits for its push; nothing of it has been started. */
  | { readonly kind: 'gathering'; readonly plan: Plan; readonly fleet: ReportedFleet; readonly pushAtMs: number }
  /** Another daemon published first; the next pass starts from what it wrote. */
  | { readonly kind: 'moved' };
