import type { Placement } from '../../../api/placement.ts';
import type { Bits } from '../compiled/bits.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import type { Facet } from '../compiled/facets.ts';
import type { Cycle } from './cycle.ts';

/** A plugin of KubeFleet's scheduler: a row of rules.ts. How to add one: docs/adding-a-rule.md. */
export interface Rule {
  /** KubeFleet's name of the plugin, as `explain` shows it. */
  readonly name: string;
  /** The parts of the members that it reads: plans are reused until one of them changes. */
  readonly facets: (placement: Placement) => readonly Facet[];
  /** Which clusters pass; undefined where the rule does not apply to the placement. */
  readonly filter?: (placement: Placement, index: FleetIndex) => Filter | undefined;
  /** How many different `variant`s its filter has for one cluster; absent = 1. */
  readonly variants?: number;
  /** What it adds to the affinity score. */
  readonly score?: (placement: Placement, index: FleetIndex) => readonly ScoreTerm[];
}

/** A rule that filters clusters, for one placement over one fleet. */
export interface Filter {
  /** Rows that pass, independent of bindings; absent = all. */
  readonly mask?: Bits;
  /** The rows of `rows` that do not pass because of bindings in a cycle. */
  readonly refused?: (rows: readonly number[], cycle: Cycle) => Bits;
  /** Why a cluster does not pass, as decisions print it; empty where it passes. */
  readonly reasons: (row: number, cycle: Cycle) => readonly string[];
  /** Why it does not pass, as `explain` prints it, where that is more than the reasons. */
  readonly explain?: (row: number, cycle: Cycle) => FilterExplanation;
  /**
   * From 0. Placements with the same number for a cluster have the same reasons for it, and share the decision. Absent where the
   * reasons are specific to one placement.
   */
  readonly variant?: ((row: number) => number) | undefined;
}

export interface FilterExplanation {
  readonly reasons: readonly string[];
  /** The requirements of the policy that the cluster does not meet. */
  readonly unmet?: readonly string[];
}

/** One summand of the affinity score, for one placement over one fleet. */
export interface ScoreTerm {
  /** Adds the term to the scores of these rows. */
  readonly addTo: (scores: Int32Array, rows: readonly number[]) => void;
  readonly explain: (row: number) => TermExplanation;
}

export interface TermExplanation {
  readonly weight: number;
  readonly labelsMatch: boolean;
  readonly property?: string;
  readonly sortOrder?: 'Ascending' | 'Descending';
  /** As written on the cluster; absent where it has none. */
  readonly value?: string;
  /** Smallest and largest of the whole fleet. */
  readonly min?: number;
  readonly max?: number;
  readonly score: number;
}
