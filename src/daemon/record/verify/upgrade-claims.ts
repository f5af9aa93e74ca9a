import type { ClusterName } from '../../../api/meta.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import type { Problem } from '../../../api/problem.ts';
import type { UpdateRun } from '../../../api/upgrade-run.ts';
import type { MemberUpgrade } from '../../../api/upgrade-status.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { sameValue } from '../../../engine/kernel/same-value.ts';
import { absenceMeansNothing } from '../../../engine/recovery/last-good.ts';
import type { RunGate } from '../../../engine/upgrade/gate-names.ts';
import { isOver } from '../../../engine/upgrade/load-run.ts';
import { allMembers, isInFlight, mapMembers } from '../../../engine/upgrade/tree.ts';
import { withLostWork } from './lost-work.ts';
import { mismatch } from './mismatch.ts';
import { verifyUpgrade } from './upgrade-runs.ts';
import type { PartVerifier } from './verified.ts';
import { isShownBehind, withdrawnBehind, withoutStarts } from './withdrawn-gates.ts';

/** Operations of update runs that only the record claims. */
export interface DoubtedOperations {
  /** Such an operation is followed; nothing is requested for it. */
  readonly isDoubtedOperation: (operationId: string) => boolean;
  /**
   * The record without operations that their provider was never asked for: their members are decided again. Those that the provider
   * shows are no longer doubted.
   */
  withoutUnrequested(record: FleetRecord, observations: ReadonlyMap<ClusterName, ClusterObservation>): FleetRecord;
}

/** Verifies recorded cluster update runs. One that is not trusted counts as lost: it is held until its file changes. */
export function upgradeVerifier(): PartVerifier & DoubtedOperations {
  const known = new WeakMap<UpdateRun, UpdateRun>();
  const doubted = new Set<string>();
  /** Members in flight of the record that this daemon published last. */
  let own: ReadonlyMap<string, MemberUpgrade> = new Map();
  /** Gates of runs as verified, by name, whose approval is withdrawn. */
  const withdrawn = new Map<string, { readonly run: UpdateRun; readonly gate: RunGate }>();
  return {
    async verify(record, history) {
      const tip = (await history.fleetAt(history.tip))!;
      const upgrades = new Map(record.upgrades);
      const lost: string[] = [];
      const problems: Problem[] = [];
      for (const [name, run] of record.upgrades) {
        const before = known.get(run);
        if (before) {
          upgrades.set(name, before);
          continue;
        }
        const file = tip.upgradeRuns.find(({ metadata }) => metadata.name === name);
        const isUnderWay = run.status !== undefined && allMembers(run.status).some(isInFlight);
        // A run that is over starts nothing until its file requests another attempt.
        const isAtRest = run.status !== undefined && isOver(run.status) && !isUnderWay;
        if (isAtRest && (file?.spec.attempt ?? 1) <= run.status!.attempt) continue;
        const verdict = await verifyUpgrade(run, history);
        if ('run' in verdict) {
          const verified = asPublished(verdict.run, own);
          if (verified !== verdict.run) problems.push(mismatch(`upgrades/${name}.yaml`, changedOperation));
          known.set(run, verified);
          const gate = withdrawnBehind(verified, tip);
          if (gate) withdrawn.set(name, { run: verified, gate });
          upgrades.set(name, verified);
          for (const [key, { operationId }] of inFlightIn(verified)) if (!own.has(key)) doubted.add(operationId!);
          continue;
        }
        upgrades.delete(name);
        const isGone = file === undefined && !absenceMeansNothing(tip, { kind: run.kind, name });
        if (!isGone) lost.push(name);
        problems.push(
          mismatch(`upgrades/${name}.yaml`, `the run counts as lost, and upgrades nothing: ${verdict.fault}`),
        );
      }
      return { record: withLostWork({ ...record, upgrades }, 'upgrades', new Set(lost)), problems };
    },
    published({ upgrades }) {
      for (const run of upgrades.values()) known.set(run, run);
      own = new Map([...upgrades.values()].flatMap(inFlightIn));
    },
    isDoubtedOperation: (operationId) => doubted.has(operationId),
    withoutUnrequested(record, observations) {
      if (doubted.size + withdrawn.size === 0) return record;
      const upgrades = new Map(record.upgrades);
      for (const [name, run] of record.upgrades) {
        if (run.status === undefined) continue;
        const status = mapMembers(run.status, (member) => {
          const { operationId, name: cluster } = member;
          if (!isInFlight(member) || operationId === undefined || !doubted.has(operationId)) return member;
          const { target, phase } = observations.get(cluster)?.upgrade ?? {};
          if (target !== operationId || phase === undefined || phase === 'Unknown') return member;
          doubted.delete(operationId);
          return phase === 'NotRequested' ? { name: cluster, status: { state: 'NotStarted' } } : member;
        });
        const closed = withdrawn.get(name);
        if (closed?.run !== run || isShownBehind(status, closed.gate, observations)) {
          withdrawn.delete(name);
          upgrades.set(name, { ...run, status });
        } else upgrades.set(name, { ...run, status: withoutStarts(status, closed.gate) });
      }
      return { ...record, upgrades };
    },
  };
}

/** What an operation brings does not change once it was published. */
const asPublished = (run: UpdateRun, own: ReadonlyMap<string, MemberUpgrade>): UpdateRun => {
  if (run.status === undefined) return run;
  const status = mapMembers(run.status, (member) => {
    const published = isInFlight(member) ? own.get(keyOf(run, member)) : undefined;
    return published === undefined || sameValue(published, member) ? member : { ...published, status: member.status };
  });
  return sameValue(status, run.status) ? run : { ...run, status };
};

const changedOperation = 'an operation in flight is not what this daemon published, which counts';

const keyOf = ({ metadata }: UpdateRun, { name, operationId }: MemberUpgrade): string =>
  `${metadata.name} ${name} ${operationId}`;

/** Members of a run that are in flight, with what tells their operation from others. */
const inFlightIn = (run: UpdateRun): readonly (readonly [string, MemberUpgrade])[] =>
  (run.status ? allMembers(run.status) : []).flatMap((member) =>
    isInFlight(member) && member.operationId !== undefined ? [[keyOf(run, member), member] as const] : [],
  );
