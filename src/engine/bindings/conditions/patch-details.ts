import type { PatchDetail, ResourceIdentifier } from '../../../api/placement.ts';
import { isSecret } from '../../selection/is-secret.ts';
import { isOpenPart } from './secret-values.ts';

/** What KubeFleet puts in place of a value of a Secret (drift_detection_takeover.go). */
const redacted = '(redacted for security reasons)';

/** KubeFleet's API keeps at most this many details of one object. */
export const mostDetails = 100;

/**
 * Beyond this many characters of JSON the details of a cluster shrink to one line for each object (KubeFleet
 * workapplier/status.go, trimWorkStatusDataWhenOversized; its limit is that of an object in etcd, with padding).
 */
const mostStatusText = 1_415_578;

/** KubeFleet's way to say that an object is missing. */
export const wholeObject: PatchDetail = { path: '/', valueInHub: '(the whole object)' };

/** What may be shown of the differences of an object: at most 100, and never what a Secret holds. */
export function shownDetails(
  { group, kind }: Pick<ResourceIdentifier, 'group' | 'kind'>,
  details: readonly PatchDetail[] | undefined,
): PatchDetail[] {
  const secret = isSecret({ apiVersion: group ? `${group}/` : 'v1', kind });
  return (details ?? [])
    .slice(0, mostDetails)
    .map((detail) => (secret && !isOpenPart(detail.path) && !isWhole(detail) ? hidden(detail) : detail));
}

/** The object is missing on the member. */
export const isWhole = ({
  path,
  valueInMember,
  valueInHub,
}: {
  readonly path: string;
  readonly valueInMember?: string | undefined;
  readonly valueInHub?: string | undefined;
}): boolean => path === wholeObject.path && valueInMember === undefined && valueInHub === wholeObject.valueInHub;

const hidden = ({ valueInMember, valueInHub, ...rest }: PatchDetail): PatchDetail => ({
  ...rest,
  ...(valueInMember === undefined ? {} : { valueInMember: redacted }),
  ...(valueInHub === undefined ? {} : { valueInHub: redacted }),
});

/** How details are reported so that all of them fit into one status: in full, or the first path and the number of further ones. */
export const asFitting = (
  all: readonly (readonly PatchDetail[])[],
): ((details: readonly PatchDetail[]) => PatchDetail[]) =>
  JSON.stringify(all).length <= mostStatusText ? (details) => [...details] : outline;

function outline(details: readonly PatchDetail[]): PatchDetail[] {
  const path = details[0]?.path ?? '/';
  const rest = details.length - 1;
  return [
    {
      path: rest > 0 ? `${path} and ${rest} more path(s)` : path,
      valueInMember: '(omitted)',
      valueInHub: '(omitted)',
    },
  ];
}
