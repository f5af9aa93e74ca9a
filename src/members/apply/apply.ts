import type { Manifest } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import type { ApplyStrategy, PatchDetail } from '../../api/placement.ts';
import { wholeObject } from '../../engine/delivery/patch-details.ts';
import { withoutSecrets } from '../../engine/delivery/secret-values.ts';
import { digestAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { MemberClient } from '../api-server/client.ts';
import type { ServedKind } from '../api-server/served-kind.ts';
import { differences, localDifferences, tellable } from './compare.ts';
import { foreignManager, managersOf } from './field-managers.ts';
import { type ObjectRequests, objectRequests, type Seen } from './requests.ts';
import { refusalOf } from './takeover.ts';

export interface Applied {
  readonly outcome: ObjectOutcome;
  /** The object as the last request showed it; null when it is not there. */
  readonly live: Manifest | null;
  /** Present when somebody had changed what we sent before and it was put right. */
  readonly repaired?: readonly PatchDetail[];
  /** What was there before, whether it had been seen or not. */
  readonly found?: Manifest;
  /** It was found to be what must not be replaced, and was left as it is. */
  readonly kept?: boolean;
}

/** What was being done when the server refused, as KubeFleet names it (work applier, ManifestProcessingApplyOrReportDiffResultType). */
const failures = {
  find: 'FailedToFindObjInMemberCluster',
  takeOver: 'FailedToTakeOver',
  compare: 'FailedToRunDriftDetection',
  report: 'FailedToReportDiff',
  apply: 'ManifestApplyFailed',
} as const;
type Step = keyof typeof failures;

interface Attempt {
  readonly requests: ObjectRequests;
  readonly manifest: Manifest;
  readonly label: string;
  /** Whether the placement with this label has the object on this member, or may have. */
  readonly isPlaced: (label: string) => boolean;
  readonly strategy: ApplyStrategy;
  /** What is being done from now on. */
  readonly begin: (step: Step) => void;
  /** Only what was seen may be replaced: nothing that came there since. */
  readonly locked: boolean;
}

/**
 * Brings one object about: takeover, ownership, drift check, apply, in KubeFleet's order (work applier, process.go).
 * `live` is the object as last seen, `undefined` when it has not been looked for. Rejects only when there is no answer, or
 * when it is not wanted any more by the time it could be sent; what the server refuses is an outcome.
 */
export async function applyObject(input: {
  readonly client: MemberClient;
  readonly served: ServedKind;
  readonly manifest: Manifest;
  readonly label: string;
  /** Whether the placement with this label has the object on this member, or may have; another mark makes it nobody's. */
  readonly isPlaced: (label: string) => boolean;
  readonly strategy: ApplyStrategy;
  readonly live: Manifest | undefined;
  /** Asked of what is found that had not been seen. */
  readonly mayReplace: (live: Manifest) => boolean;
  /** Called before an object that is not there is sent, perhaps more than once. */
  readonly making: () => void;
  readonly isWanted: () => boolean;
}): Promise<Applied> {
  const requests = objectRequests(input.client, input.served, input.manifest, input.isWanted);
  let live: Manifest | null | undefined = input.live;
  for (let attempt = 1; ; attempt++) {
    let step: Step = 'find';
    const begin = (next: Step) => {
      step = next;
    };
    try {
      const seen = live !== undefined;
      live ??= await requests.read();
      if (!seen && live && !input.mayReplace(live)) {
        const finding: Finding = { result: 'ManifestApplyFailed', message: 'another daemon has put it there' };
        return { outcome: { object: refOfManifest(input.manifest), ...finding }, live, kept: true };
      }
      if (live === null && input.strategy.type !== 'ReportDiff') input.making();
      // What changes all the time is replaced in the end as it was found a moment ago.
      const locked = attempt < mostAttempts || input.strategy.whenToApply === 'IfNotDrifted';
      return {
        ...(await bring({ ...input, requests, begin, locked }, live)),
        ...(live === null ? {} : { found: live }),
      };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The object moved on since it was last seen: look again.
      if (movedOn(error, live) && attempt < mostAttempts) {
        live = undefined;
        continue;
      }
      const message = withoutSecrets(input.manifest, explain(error));
      return {
        outcome: { object: refOfManifest(input.manifest), result: failures[step], message },
        live: live ?? null,
      };
    }
  }
}

/** An object that moves on between a look and an apply is looked at again: twice is a coincidence, more is somebody's loop. */
const mostAttempts = 3;

/** 404: it has gone since it was seen, of which not every server speaks as of a conflict. */
const movedOn = ({ status, fieldConflicts }: ApiError, live: Manifest | null | undefined): boolean =>
  status === 409 ? fieldConflicts.length === 0 : status === 404 && live != null;

async function bring(attempt: Attempt, live: Manifest | null): Promise<Applied> {
  const { requests, manifest, strategy, begin } = attempt;
  const report = strategy.type === 'ReportDiff';
  const left = (finding: Finding): Applied => ({
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
    // Labels that reports leave out are no drift, and what has not drifted is applied.
    if (!differs) return left({ result: 'Applied' });
  }
  begin('apply');
  return apply(attempt, live, sentBefore ? live : undefined);
}

/** `sent` is the object on the member when this manifest was applied to it before. */
async function apply(
  { requests, manifest, strategy, label, locked }: Attempt,
  live: Manifest | null,
  sent: Manifest | undefined,
): Promise<Applied> {
  const object = refOfManifest(manifest);
  const force = strategy.type === 'ServerSideApply' ? (strategy.serverSideApplyConfig?.force ?? false) : true;
  // An apply that is long on its way would replace what another daemon has put there meanwhile, or make anew what it removed.
  const seen = live === null ? absent : locked ? seenAs(live) : {};
  const after = await requests.apply({ force, seen });
  if (after.metadata.labels?.[placementLabel] !== label || !isSameManifest(manifest, after)) {
    const message = `the member took ${placementLabel} or ${digestAnnotation} off the object as it was applied, so that it could not be found again: look for a mutating webhook`;
    return { outcome: { object, result: 'ManifestApplyFailed', message }, live: after };
  }
  const details = strategy.comparisonOption === 'FullComparison' ? differences(manifest, after) : [];
  const finding: Finding = { result: 'Applied', ...(details.length > 0 ? { details } : {}) };
  const repaired = sent === undefined ? [] : tellable(manifest, localDifferences(after, sent, 'full'));
  return {
    outcome: { ...withManagers(finding, after), object, ...generationOf(after) },
    live: after,
    ...(repaired.length > 0 ? { repaired } : {}),
  };
}

/**
 * To send a version that no object can have makes what is not there, and is a conflict with what is (kube-apiserver,
 * registry/generic/registry/store.go, Update): etcd counts its first write as the second revision.
 */
const absent: Seen = { resourceVersion: '1' };

/** The uid: a version alone makes anew what has gone (kube-apiserver, endpoints/handlers/patch.go, applyPatch). */
const seenAs = ({ metadata }: Manifest): Seen => ({
  uid: metadata['uid'] as string,
  resourceVersion: metadata['resourceVersion'] as string,
});

/** Names who owns what differs, where the object tells: what a watch showed is kept without its managers. */
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

/** The same manifest was applied before: what differs now is drift, not news (KubeFleet: spec-hash annotation). */
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

/** How a manifest and an object compare: partly by asking the server what an apply would change, or fully, field by field. */
class Comparison {
  readonly #requests: ObjectRequests;
  readonly #manifest: Manifest;
  readonly #full: boolean;
  /** Set when the server calls the manifest invalid, so that only the field by field comparison is left. */
  suffix: '' | 'InDegradedMode' = '';

  constructor(requests: ObjectRequests, manifest: Manifest, full: boolean) {
    this.#requests = requests;
    this.#manifest = manifest;
    this.#full = full;
  }

  async with(live: Manifest): Promise<PatchDetail[]> {
    if (this.#full) return differences(this.#manifest, live);
    try {
      return differences(await this.#requests.dryRun(), live);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 422)) throw error;
      this.suffix = 'InDegradedMode';
      return differences(this.#manifest, live);
    }
  }
}

/** A conflict names field and owner, and the two ways out; everything else is what the server said. */
function explain(error: ApiError): string {
  const conflicts = error.fieldConflicts;
  if (conflicts.length === 0) return error.message;
  const fields = conflicts.map(({ field, manager }) => `field ${field} is owned by ${manager}`);
  const owners = [...new Set(conflicts.map(({ manager }) => manager))].join(', ');
  const them = conflicts.length > 1 ? 'them' : 'it';
  const ways = `set serverSideApplyConfig.force: true to take ${them} over, or let ${owners} give ${them} up`;
  return `${error.message.slice(0, error.message.indexOf(': '))}: ${error.status}, ${fields.join('; ')}: ${ways}`;
}
