import type { Timestamp } from '../api/meta.ts';
import type { Problem } from '../api/problem.ts';
import type { RecordFolder } from './input.ts';
import type { Hold, PlanSection, PlanSections, RecordDocument, RequestedApproval, Target } from './plan-document.ts';

/**
 * What a domain (placements, update runs, …) makes of the surveyed world. The plan is assembled from a list of
 * these, and nothing in that knows which domain one comes from (docs/adding-a-domain.md).
 */
export interface DomainOutcome {
  readonly holds: readonly Hold[];
  /** Instants at which time alone changes something, beyond the ends of holds. */
  readonly wakes: readonly Timestamp[];
  readonly problems: readonly Problem[];
  /** For the status branch. */
  readonly documents: readonly RecordEntry[];
  readonly approvals: readonly RequestedApproval[];
  /** In lists that stay the same values from plan to plan where nothing in them changed. */
  readonly targets: readonly (readonly Target[])[];
}

/** The same of a domain that fills a section of the plan document. */
export interface SectionOutcome<Section extends PlanSection> extends DomainOutcome {
  readonly section: PlanSections[Section];
  /** What of that section the digest of the plan covers, and of the targets: what is wanted, not how it comes about. */
  readonly digested: () => readonly unknown[];
  /** Something starts on a member with this plan: publishing it does not wait for further changes. */
  readonly starts: boolean;
}

/** What all domains hand over. */
export interface Outcomes {
  readonly sections: { readonly [Section in PlanSection]: SectionOutcome<Section> };
  /** Those without a section. */
  readonly others: readonly DomainOutcome[];
}

/** A document of the status branch: in a folder that the record is read from, or the configuration. */
export type RecordEntry = readonly [path: `${RecordFolder}/${string}` | 'fleet.yaml', document: RecordDocument];

/** A document below the folder of an entry, by its path there. */
export type EntryFile = readonly [path: string, document: RecordDocument];

/** The outcome of a domain that has nothing to do. */
export const noOutcome: DomainOutcome = {
  holds: [],
  wakes: [],
  problems: [],
  documents: [],
  approvals: [],
  targets: [],
};
