import { error, type Issue, warning } from '../../api/issue.ts';
import type { Manifest } from '../../api/meta.ts';
import { isFields } from '../../engine/kernel/fields.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { applicable } from '../../engine/selection/normalise.ts';
import { builtInScope } from '../../engine/selection/scope.ts';
import type { Cause } from '../../engine/server-rules/cause.ts';
import { metadataCauses } from '../../engine/server-rules/metadata-causes.ts';
import { objectCauses } from '../../engine/server-rules/object-causes.ts';
import { repeatedItems } from '../../engine/server-rules/repeated-items.ts';
import { unmatchedRule } from '../../engine/server-rules/workload-causes.ts';

/** What else API servers refuse an object for. Mostly warnings, as an override may correct it. */
export function refusals(manifest: object): Issue[] {
  const { apiVersion, kind, metadata } = manifest as Manifest;
  if (!isFields(metadata)) return [];
  const { group } = groupVersionOf(apiVersion);
  const of = { group, kind, custom: builtInScope(group, kind) === undefined };
  const applied = applicable(manifest as Manifest);
  const repeated = repeatedItems(applied, `${group}/${kind}`);
  const causes = [...metadataCauses(applied, of), ...objectCauses(applied, of), ...repeated];
  return causes.filter((cause) => !isReportedElsewhere(cause)).map(asIssue);
}

/** As errors of every kind, and key by key. */
const isReportedElsewhere = ({ reason, field, why }: Cause): boolean =>
  why === unmatchedRule || (field === 'metadata.name' && reason === 'FieldValueRequired');

/** A wrong choice is an error, like a wrong type: nothing that is added corrects it. Overrides change no names. */
function asIssue({ reason, field, why, fix, choices }: Cause): Issue {
  const path = causePath(field);
  if (field === 'metadata.name') return error('invalid-name', path, `API servers refuse this name: ${why}`, fix!);
  if (choices !== undefined) return error('invalid-value', path, `${field} must be one of ${choices.join(', ')}`, fix!);
  if (reason !== 'FieldValueRequired' || fix !== undefined)
    return warning('invalid', path, `${field}: API servers refuse the object: ${why}`, fix);
  const missing = `${field} is missing: API servers refuse the object${why === '' ? '' : `: ${why}`}`;
  return warning('field-required', path, missing, `add ${path.at(-1)}`);
}

/** `rules[0].verbs` and `data[a.b]` as a path. */
export const causePath = (field: string): (string | number)[] =>
  [...field.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([part, inner]) => {
    if (inner === undefined) return part;
    return /^\d+$/.test(inner) && !/^\w*[dD]ata\[/.test(field) ? Number(inner) : inner;
  });
