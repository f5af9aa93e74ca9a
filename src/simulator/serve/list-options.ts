import { type Cause, forbiddenField, unsupportedField } from '../../engine/server-rules/cause.ts';
import { badRequest, invalid } from './status-error.ts';

/**
 * Refuses what API servers refuse in the query of a list, a watch or the deletion of a collection (apimachinery,
 * pkg/apis/meta/internalversion/validation). Throws StatusError.
 */
export function checkListOptions(query: URLSearchParams, isWatch: boolean): void {
  for (const name of ['limit', 'timeoutSeconds']) integerIn(query, name);
  const causes = isWatch ? watchCauses(query) : listCauses(query);
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', plural: '', kind: 'ListOptions' }, '', causes);
}

/** Undefined where it is not there or empty. Throws StatusError. */
export function integerIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

const field = 'resourceVersionMatch';
const notOlder = 'NotOlderThan';

function listCauses(query: URLSearchParams): Cause[] {
  const match = query.get(field) ?? '';
  if (match === '') return [];
  const version = query.get('resourceVersion') ?? '';
  return [
    ...(version === '' ? [forbiddenField(field, `${field} is forbidden unless resourceVersion is provided`)] : []),
    ...continued(query),
    ...(match === 'Exact' || match === notOlder ? [] : [unsupportedField(field, match, ['Exact', notOlder, ''])]),
    ...(match === 'Exact' && version === '0'
      ? [forbiddenField(field, `${field} "exact" is forbidden for resourceVersion "0"`)]
      : []),
  ];
}

function watchCauses(query: URLSearchParams): Cause[] {
  const match = query.get(field) ?? '';
  const sendsInitial = query.get('sendInitialEvents') !== null;
  return [
    ...(sendsInitial && match !== notOlder
      ? [forbiddenField(field, `sendInitialEvents requires setting ${field} to ${notOlder}`)]
      : []),
    ...(sendsInitial
      ? [
          forbiddenField(
            'sendInitialEvents',
            'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
          ),
        ]
      : []),
    ...(match !== '' && !sendsInitial
      ? [forbiddenField(field, `${field} is forbidden for watch unless sendInitialEvents is provided`)]
      : []),
    ...(match !== '' && match !== notOlder ? [unsupportedField(field, match, [notOlder])] : []),
    ...(match === '' ? [] : continued(query)),
  ];
}

const continued = (query: URLSearchParams): Cause[] =>
  query.get('continue') ? [forbiddenField(field, `${field} is forbidden when continue is provided`)] : [];
