import type { Manifest } from '../../api/meta.ts';
import type { ApplyStrategy } from '../../api/placement.ts';
import { withoutSecrets } from '../../engine/bindings/conditions/secret-values.ts';
import { refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { MemberClient } from '../api-server/client.ts';
import type { ServedKind } from '../api-server/served-kind.ts';
import { type AttemptResult, applyRead, type Step } from './attempt.ts';
import { objectRequests } from './requests.ts';

export interface Applied extends AttemptResult {
  /** The object before the apply, also if no watch had shown it. */
  readonly found?: Manifest;
  /** The object found must not be replaced, so it was left as it is. */
  readonly kept?: boolean;
}

/** KubeFleet's result for the step that the server refused (work applier, ManifestProcessingApplyOrReportDiffResultType). */
const failures = {
  find: 'FailedToFindObjInMemberCluster',
  takeOver: 'FailedToTakeOver',
  compare: 'FailedToRunDriftDetection',
  report: 'FailedToReportDiff',
  apply: 'ManifestApplyFailed',
} as const satisfies Readonly<Record<Step, string>>;

/**
 * Applies one object, and reads it again if it changed in between. `live` is the object as last seen; `undefined` if it was not
 * read yet. A refusal of the server is an outcome. Rejects only when no response comes, or when the object is no longer wanted.
 */
export async function applyObject(input: {
  readonly client: MemberClient;
  readonly served: ServedKind;
  readonly manifest: Manifest;
  readonly label: string;
  /** Whether the placement with this label has or may have the object on this member; any other label has no effect. */
  readonly isPlaced: (label: string) => boolean;
  readonly strategy: ApplyStrategy;
  readonly live: Manifest | undefined;
  /** Called for an object that no watch had shown. */
  readonly mayReplace: (live: Manifest) => boolean;
  /** Called before each attempt to create the object. */
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
        const message = 'another daemon created it';
        const object = refOfManifest(input.manifest);
        return { outcome: { object, result: 'ManifestApplyFailed', message }, live, kept: true };
      }
      if (live === null && input.strategy.type !== 'ReportDiff') input.making();
      // The last attempt does not lock, so that an object that changes all the time is applied at last.
      const locked = attempt < mostAttempts || input.strategy.whenToApply === 'IfNotDrifted';
      return {
        ...(await applyRead({ ...input, requests, begin, locked }, live)),
        ...(live === null ? {} : { found: live }),
      };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The object changed since it was last seen: read it again.
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

/** Attempts when the object changes between read and apply: more than two changes are a loop of another controller. */
const mostAttempts = 3;

/** A 404 means that the object was deleted since; not every server reports that as a conflict. */
const movedOn = ({ status, fieldConflicts }: ApiError, live: Manifest | null | undefined): boolean =>
  status === 409 ? fieldConflicts.length === 0 : status === 404 && live != null;

/** For a conflict: field, owner and what to do. For all else: the message of the server. */
function explain(error: ApiError): string {
  const conflicts = error.fieldConflicts;
  if (conflicts.length === 0) return error.message;
  const fields = conflicts.map(({ field, manager }) => `field ${field} is owned by ${manager}`);
  const owners = [...new Set(conflicts.map(({ manager }) => manager))].join(', ');
  const them = conflicts.length > 1 ? 'them' : 'it';
  const ways = `set serverSideApplyConfig.force: true to take ${them} over, or make ${owners} release ${them}`;
  return `${error.tried}: ${error.status}, ${fields.join('; ')}: ${ways}`;
}
