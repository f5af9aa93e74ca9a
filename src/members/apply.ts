import type { Manifest } from '../api/meta.ts';
import type { ObjectOutcome } from '../api/observation.ts';
import type { ApplyStrategy, PatchDetail } from '../api/placement.ts';
import { ApiError } from './api-error.ts';
import { refOfManifest } from './assignment.ts';
import type { MemberClient } from './client.ts';
import { differences } from './compare.ts';
import { pathOf, type ServedKind } from './discovery.ts';

export const fieldManager = 'gitfleet';
export const placementLabel = 'gitfleet.dev/placement';
export const digestAnnotation = 'gitfleet.dev/digest';

export interface Applied {
  readonly outcome: ObjectOutcome;
  /** The object after the request, when one was changed or read. */
  readonly live?: Manifest;
}

/**
 * Brings one object about: takeover, ownership, drift check, apply, in KubeFleet's order (work applier, process manifests).
 * `live` is the object as last seen; `undefined` means it has not been looked for, `null` that it is not there.
 */
export async function applyObject(input: {
  readonly client: MemberClient;
  readonly served: ServedKind;
  readonly manifest: Manifest;
  readonly label: string;
  readonly strategy: ApplyStrategy;
  readonly live: Manifest | null | undefined;
  readonly lastManager?: string | undefined;
}): Promise<Applied> {
  const { client, manifest, strategy } = input;
  const object = refOfManifest(manifest);
  const path = pathOf(input.served, { namespace: manifest.metadata.namespace, name: manifest.metadata.name });
  const failed = (result: string, message: string, details?: readonly PatchDetail[]): Applied => ({
    outcome: { object, result, message, ...(details?.length ? { details: [...details] } : {}) },
    ...(input.live ? { live: input.live } : {}),
  });

  try {
    const live = input.live === undefined ? await read(client, path) : input.live;
    const comparison = strategy.comparisonOption === 'FullComparison' ? 'full' : 'partial';
    const diff = async (): Promise<PatchDetail[]> => {
      if (!live) return [{ path: '/', valueInHub: '(the whole object)' }];
      if (comparison === 'full') return differences(manifest, live, 'full');
      return differences(await patch(client, path, manifest, { force: true, dryRun: true }), live, 'full');
    };

    if (live && live.metadata.labels?.[placementLabel] !== input.label) {
      const refusal = await takeoverRefusal({ live, strategy, label: input.label, diff });
      if (refusal) return failed(refusal.result, refusal.message, refusal.details);
    }
    if (strategy.type === 'ReportDiff') {
      const details = await diff();
      const result = details.length > 0 ? 'FoundDiff' : 'NoDiffFound';
      return {
        outcome: { object, result, message: '', ...(details.length > 0 ? { details } : {}) },
        ...(live ? { live } : {}),
      };
    }
    const digest = manifest.metadata.annotations?.[digestAnnotation];
    const sameManifest = live !== null && live.metadata.annotations?.[digestAnnotation] === digest;
    if (live && sameManifest && strategy.whenToApply === 'IfNotDrifted') {
      const drifts = differences(manifest, live, 'partial').length > 0 || comparison === 'full' ? await diff() : [];
      if (drifts.length > 0) {
        return failed(
          'FoundDrifts',
          `the object was changed on the member${by(input.lastManager)}; whenToApply is IfNotDrifted, so it is left as it is`,
          drifts,
        );
      }
      return { outcome: { object, result: 'Applied' }, live };
    }
    const force = strategy.type === 'ServerSideApply' ? (strategy.serverSideApplyConfig?.force ?? false) : true;
    const drift = live && sameManifest ? differences(manifest, live, 'partial') : [];
    const after = await patch(client, path, manifest, { force });
    const changed = live !== null && after.metadata['resourceVersion'] !== live.metadata['resourceVersion'];
    const repaired = changed && drift.length > 0;
    const full = comparison === 'full' ? differences(manifest, after, 'full') : [];
    const details = repaired ? drift : full;
    return {
      outcome: {
        object,
        result: 'Applied',
        ...(repaired
          ? { message: `repaired ${drift.length} field(s) that were changed on the member${by(input.lastManager)}` }
          : {}),
        ...(details.length > 0 ? { details } : {}),
        ...(after.metadata.generation === undefined ? {} : { observedGeneration: after.metadata.generation }),
      },
      live: after,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return failed('ManifestApplyFailed', explain(error));
  }
}

const by = (manager: string | undefined): string => (manager === undefined ? '' : ` by ${manager}`);

/** A conflict names field and owner; everything else is what the server said. */
function explain(error: ApiError): string {
  const causes = error.causes.filter((cause) => cause.reason === 'FieldManagerConflict');
  if (causes.length === 0) return error.message;
  const fields = causes.map((cause) => `${cause.field ?? '?'} (${cause.message ?? 'owned by another manager'})`);
  return `${error.message.split(':')[0]}: ${error.status}, ${fields.join('; ')}`;
}

async function takeoverRefusal(input: {
  readonly live: Manifest;
  readonly strategy: ApplyStrategy;
  readonly label: string;
  readonly diff: () => Promise<PatchDetail[]>;
}): Promise<{ result: string; message: string; details?: PatchDetail[] } | undefined> {
  const { live, strategy } = input;
  const other = live.metadata.labels?.[placementLabel];
  if (other !== undefined) {
    return {
      result: 'FailedToTakeOver',
      message: `the object is already placed by ${other}: two placements may not share an object`,
    };
  }
  if (strategy.whenToTakeOver === 'Never') {
    if (strategy.type === 'ReportDiff') return undefined;
    return { result: 'NotTakenOver', message: 'the object exists on the member and whenToTakeOver is Never' };
  }
  const owners = live.metadata['ownerReferences'] as readonly { kind: string; name: string }[] | undefined;
  if (owners?.length && !strategy.allowCoOwnership) {
    const [owner] = owners;
    return {
      result: 'FailedToTakeOver',
      message: `the object is owned by ${owner?.kind} ${owner?.name}; set allowCoOwnership: true to share it`,
    };
  }
  if (strategy.whenToTakeOver === 'IfNoDiff' && strategy.type !== 'ReportDiff') {
    const details = await input.diff();
    if (details.length > 0) {
      return {
        result: 'FailedToTakeOver',
        message: 'the object on the member differs and whenToTakeOver is IfNoDiff',
        details,
      };
    }
  }
  return undefined;
}

export async function read(client: MemberClient, path: string): Promise<Manifest | null> {
  try {
    return await client.request<Manifest>({ method: 'GET', path });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

function patch(
  client: MemberClient,
  path: string,
  manifest: Manifest,
  how: { force: boolean; dryRun?: boolean },
): Promise<Manifest> {
  const query = new URLSearchParams({
    fieldManager,
    fieldValidation: 'Strict',
    force: String(how.force),
    ...(how.dryRun ? { dryRun: 'All' } : {}),
  });
  return client.request<Manifest>({
    method: 'PATCH',
    path: `${path}?${query}`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(manifest),
  });
}
