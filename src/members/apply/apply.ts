import type { Manifest } from '../../api/meta.ts';
import type { ApplyStrategy } from '../../api/placement.ts';
import { withoutSecrets } from '../../engine/bindings/conditions/secret-values.ts';
import { refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { MemberClient } from '../api-server/client.ts';
import type { ServedKind } from '../api-server/served-kind.ts';
import { type AttemptResult, applyRead, isSameManifest, type Step } from './attempt.ts';
import { type ObjectRequests, objectRequests } from './requests.ts';

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

interface ApplyInput {
  readonly client: MemberClient;
  readonly served: ServedKind;
  readonly manifest: Manifest;
  readonly label: string;
  /** Whether the placement with this label has or may have the object on this member; any other label has no effect. */
  readonly isPlaced: (label: string) => boolean;
  readonly strategy: ApplyStrategy;
  /** The object as last seen; undefined if it was not read yet. */
  readonly live: Manifest | undefined;
  /** The watches show nothing of ours, and no attempt found another object: it is created without a read before. */
  readonly probablyAbsent: boolean;
  /** Called for an object that no watch had shown. */
  readonly mayReplace: (live: Manifest) => boolean;
  /** Called before each attempt to create the object; returns what to call if it existed before. */
  readonly making: () => () => void;
  readonly isWanted: () => boolean;
}

/**
 * Applies one object, and reads it again if it changed in between. A refusal of the server is an outcome. Rejects only when no
 * response comes, or when the object is no longer wanted.
 */
export async function applyObject(input: ApplyInput): Promise<Applied> {
  const requests = objectRequests(input.client, input.served, input.manifest, input.isWanted);
  let unread: Refused | undefined;
  if (input.probablyAbsent && input.strategy.type !== 'ReportDiff') {
    const made = await create(input, requests);
    if (!('refusal' in made)) return made;
    unread = made;
  }
  let live: Manifest | null | undefined = input.live;
  for (let attempt = 1; ; attempt++) {
    let step: Step = 'find';
    const begin = (next: Step) => {
      step = next;
    };
    try {
      const seen = live !== undefined;
      live ??= await requests.read();
      if (unread && live && !isSameManifest(input.manifest, live)) unread.existed();
      // A conflict with an object that is gone again. Any other refusal would come again.
      if (unread && live === null && unread.refusal.status !== 409) return failed(input, 'apply', unread.refusal, live);
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
      return failed(input, step, error, live ?? null);
    }
  }
}

/** The server refused to create an object that was not read before. */
interface Refused {
  readonly refusal: ApiError;
  readonly existed: () => void;
}

/** Creates an object without a read before: the server refuses it if the object exists, with a conflict or for another reason. */
async function create(input: ApplyInput, requests: ObjectRequests): Promise<Applied | Refused> {
  const existed = input.making();
  try {
    return await applyRead({ ...input, requests, begin: () => {}, locked: true }, null);
  } catch (refusal) {
    if (!(refusal instanceof ApiError)) throw refusal;
    return { refusal, existed };
  }
}

const failed = ({ manifest }: ApplyInput, step: Step, error: ApiError, live: Manifest | null): Applied => ({
  outcome: {
    object: refOfManifest(manifest),
    result: failures[step],
    message: withoutSecrets(manifest, explain(error)),
  },
  live,
});

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
