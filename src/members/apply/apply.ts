import type { Manifest } from '../../api/meta.ts';
import type { ApplyStrategy } from '../../api/placement.ts';
import { withoutSecrets } from '../../engine/bindings/conditions/secret-values.ts';
import { refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { MemberClient } from '../api-server/client.ts';
import type { ServedKind } from '../api-server/served-kind.ts';
import { type Brought, bring, type Step } from './attempt.ts';
import { objectRequests } from './requests.ts';

export interface Applied extends Brought {
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
} as const satisfies Readonly<Record<Step, string>>;

/**
 * Brings one object about, and looks again where it moved on meanwhile. `live` is the object as last seen, `undefined` when it
 * has not been looked for. Rejects only when there is no answer, or when it is not wanted any more by the time it could be sent;
 * what the server refuses is an outcome.
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
        const message = 'another daemon has put it there';
        const object = refOfManifest(input.manifest);
        return { outcome: { object, result: 'ManifestApplyFailed', message }, live, kept: true };
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
