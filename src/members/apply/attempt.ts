import type { Manifest } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import type { ApplyStrategy, PatchDetail } from '../../api/placement.ts';
import { wholeObject } from '../../engine/bindings/conditions/patch-details.ts';
import { digestAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { refOfManifest } from '../../engine/selection/object-key.ts';
import { differences, localDifferences, reportable } from './compare.ts';
import { Comparison } from './comparison.ts';
import { foreignManager, managersOf } from './field-managers.ts';
import type { ObjectRequests, Seen } from './requests.ts';
import { refusalOf } from './takeover.ts';

/** The steps of an attempt, in order. */
export type Step = 'find' | 'takeOver' | 'compare' | 'report' | 'apply';

interface Attempt {
  readonly requests: ObjectRequests;
  readonly manifest: Manifest;
  readonly label: string;
  /** Whether the placement with this label has the object on this member, or may have. */
  readonly isPlaced: (label: string) => boolean;
  readonly strategy: ApplyStrategy;
  /** Reports the step that starts now. */
  readonly begin: (step: Step) => void;
  /** Replaces only the version that was read. */
  readonly locked: boolean;
}

/** The result of an attempt that the server did not refuse. */
export interface AttemptResult {
  readonly outcome: ObjectOutcome;
  /** The object as the last request showed it; null when it does not exist. */
  readonly live: Manifest | null;
  /** Present when the object had drifted and was repaired. */
  readonly repaired?: readonly PatchDetail[];
}

/**
 * One attempt at an object that was read: takeover, ownership, drift check, apply, in KubeFleet's order (work applier,
 * process.go). Rejects with the refusal of the server.
 */
export async function applyRead(attempt: Attempt, live: Manifest | null): Promise<AttemptResult> {
  const { requests, manifest, strategy, begin } = attempt;
  const report = strategy.type === 'ReportDiff';
  const left = (finding: Finding): AttemptResult => ({
    outcome: { ...withManagers(finding, live), object: refOfManifest(manifest), ...generationOf(live) },
    live,
  });

  const full = strategy.comparisonOption === 'FullComparison';
  const compared = new Comparison(requests, manifest, full);
  if (live) {
    if (live.metadata.deletionTimestamp && !report) return left(beingRemoved(live));
    begin('takeOver');
    const refusal = await refusalOf({ ...attempt, live, diff: () => compared.with(live) });
    if (refusal) return left(refusal);
  }
  if (report) {
    begin('report');
    const details = live ? await compared.with(live) : [wholeObject];
    return left(
      details.length > 0 ? { result: `FoundDiff${compared.suffix}`, details } : { result: 'NoDiffFound', message: '' },
    );
  }
  const sentBefore =
    live !== null && isSameManifest(manifest, live) && live.metadata.labels?.[placementLabel] === attempt.label;
  if (sentBefore && strategy.whenToApply === 'IfNotDrifted') {
    begin('compare');
    const differs = localDifferences(manifest, live, 'partial').length > 0;
    const details = full || differs ? await compared.with(live) : [];
    if (details.length > 0) {
      const message = 'the object was changed on the member; whenToApply is IfNotDrifted, so it is left as it is';
      return left({ result: `FoundDrifts${compared.suffix}`, message, details });
    }
    // Labels that reports omit are not drift, so the object is applied.
    if (!differs) return left({ result: 'Applied' });
  }
  begin('apply');
  return apply(attempt, live, sentBefore ? live : undefined);
}

/** `sent`: the object on the member, if this manifest was applied to it before. */
async function apply(
  { requests, manifest, strategy, label, locked }: Attempt,
  live: Manifest | null,
  sent: Manifest | undefined,
): Promise<AttemptResult> {
  const object = refOfManifest(manifest);
  // Fields of a missing object have no owner. With force, an object that exists is always refused by its version, and so is not read.
  const force =
    live === null || strategy.type !== 'ServerSideApply' || (strategy.serverSideApplyConfig?.force ?? false);
  // A delayed apply must not replace what another daemon applied, or create again what it removed.
  const seen = live === null ? absent : locked ? seenAs(live) : {};
  const after = await requests.apply({ force, seen });
  if (after.metadata.labels?.[placementLabel] !== label || !isSameManifest(manifest, after)) {
    const message = `the member removed ${placementLabel} or ${digestAnnotation} from the object during apply, so gitfleet cannot find it again: check for a mutating webhook`;
    return { outcome: { object, result: 'ManifestApplyFailed', message }, live: after };
  }
  const details = strategy.comparisonOption === 'FullComparison' ? differences(manifest, after) : [];
  const finding: Finding = { result: 'Applied', ...(details.length > 0 ? { details } : {}) };
  const repaired = sent === undefined ? [] : reportable(manifest, localDifferences(after, sent, 'full'));
  return {
    outcome: { ...withManagers(finding, after), object, ...generationOf(after) },
    live: after,
    ...(repaired.length > 0 ? { repaired } : {}),
  };
}

/**
 * A version that no object can have: an apply with it creates a missing object, and conflicts with an existing one
 * (kube-apiserver, registry/generic/registry/store.go, Update). The first write in etcd is the second revision.
 */
const absent: Seen = { resourceVersion: '1' };

/** With the uid: a version alone creates a deleted object again (kube-apiserver, endpoints/handlers/patch.go, applyPatch). */
const seenAs = ({ metadata }: Manifest): Seen => ({
  uid: metadata['uid'] as string,
  resourceVersion: metadata['resourceVersion'] as string,
});

/** Adds the field managers of differences, if the object has managedFields; objects from a watch are kept without them. */
function withManagers(finding: Finding, live: Manifest | null): Finding {
  const managers = live === null ? [] : managersOf(live);
  if (!finding.details || managers.length === 0) return finding;
  const details = finding.details.map((detail) => {
    const manager = foreignManager(managers, [detail]);
    return manager === undefined ? detail : { ...detail, manager };
  });
  return { ...finding, details };
}

type Finding = Pick<ObjectOutcome, 'result' | 'message' | 'details'>;

/** The same manifest was applied before, so a difference is drift (KubeFleet: spec-hash annotation). */
export const isSameManifest = (manifest: Manifest, live: Manifest): boolean =>
  live.metadata.annotations?.[digestAnnotation] === manifest.metadata.annotations?.[digestAnnotation];

const generationOf = (live: Manifest | null): { observedGeneration?: number } =>
  live?.metadata.generation === undefined ? {} : { observedGeneration: live.metadata.generation };

function beingRemoved(live: Manifest): Finding {
  const { finalizers, deletionTimestamp } = live.metadata;
  const waits = finalizers?.length ? ` and waits for ${finalizers.join(', ')}` : '';
  return {
    result: 'ManifestApplyFailed',
    message: `the object is being removed since ${deletionTimestamp}${waits}; it is applied again when it is gone`,
  };
}
