import type { Fleet, FleetRecord, PlanInput } from '../../input.ts';
import type { GuardFinding, Plan } from '../../plan-document.ts';
import { changesOf, type PlacementChange } from './changes.ts';
import { fleetInEffect } from './fleet-in-effect.ts';
import { placementOf } from './snapshot-objects.ts';

/** What the guard checks: a plan, the input as it was written, and the record that the planner recovered from it. */
export interface GuardRequest {
  readonly input: PlanInput;
  /** Checked by rules of its own (`record/`), not trusted. */
  readonly recovered: { readonly record: FleetRecord; readonly lost: boolean };
  readonly plan: Plan;
}

/** What the rules of every domain read. Only the plan and the recovered record are taken from the planner. */
export interface Evidence extends Pick<PlanInput, 'now' | 'observations' | 'digest'>, GuardRequest {
  /** The fleet that a plan may act on: the files, and the recorded versions of objects in unreadable files. */
  readonly fleet: Fleet;
  /** The recovered record. */
  readonly record: FleetRecord;
  /** The record is lost, and members have objects of ours. */
  readonly isRecordLost: boolean;
  /** Every placement before and after, by name. */
  readonly changes: readonly PlacementChange[];
}

/** The rules of one domain. A new domain adds a folder that exports one, and a row in guard.ts. */
export type RuleSet = (evidence: Evidence) => readonly GuardFinding[];

export function gatherEvidence(request: GuardRequest): Evidence {
  const { input, recovered, plan } = request;
  const { now, observations, digest } = input;
  const { record } = recovered;
  const fleet = fleetInEffect(input, record);
  return {
    ...request,
    now,
    observations,
    digest,
    fleet,
    record,
    isRecordLost: !input.record.exists && holdObjectsOfOurs(observations),
    changes: changesOf({ fleet, record, plan }),
  };
}

const holdObjectsOfOurs = (observations: PlanInput['observations']): boolean =>
  [...(observations?.values() ?? [])].some(({ objects }) =>
    objects.some((object) => placementOf(object) !== undefined),
  );
