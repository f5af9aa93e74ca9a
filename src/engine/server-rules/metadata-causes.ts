import { isDnsLabel, isQualifiedName, isSubdomain } from '../../api/syntax.ts';
import { fieldsAt, listAt, textAt } from '../kernel/at.ts';
import type { Fields } from '../kernel/fields.ts';
import { type Cause, invalidField, type RuledKind, requiredField, tooLong } from './cause.ts';
import { labelCauses, namePartRule } from './label-causes.ts';

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
/** Groups and kinds whose names may contain colons or capitals: any path segment is valid, or other rules hold. */
const freeNames = new Set([
  'rbac.authorization.k8s.io',
  'certificates.k8s.io',
  'apiregistration.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io/IPAddress',
  'policy/PodDisruptionBudget',
]);
/** Names of their Jobs have eleven characters more. */
const longestCronJob = 52;
const labelNames = new Set(['/Namespace', '/Service']);

/** Validation errors of the name, labels, annotations, finalizers and owners of an object. */
export function metadataCauses(object: Fields, kind: RuledKind): Cause[] {
  const causes: Cause[] = [];
  const name = textAt(object, 'metadata', 'name');
  const key = `${kind.group}/${kind.kind}`;
  if (name === '') causes.push(requiredField('metadata.name', 'name or generateName is required'));
  else if (labelNames.has(key) && !isDnsLabel(name))
    causes.push({
      ...invalidField('metadata.name', name, labelRule, 'use lower-case letters, digits and -'),
      why: 'it is no DNS label',
    });
  else if (!freeNames.has(kind.group) && !freeNames.has(key) && !isSubdomain(name))
    causes.push({
      ...invalidField('metadata.name', name, subdomainRule, 'use lower-case letters, digits, - and .'),
      why: 'it is no DNS subdomain',
    });
  else if (key === 'batch/CronJob' && name.length > longestCronJob)
    causes.push(invalidField('metadata.name', name, `must be no more than ${longestCronJob} characters`, 'shorten it'));
  causes.push(...labelCauses(fieldsAt(object, 'metadata', 'labels'), 'metadata.labels'));
  return [
    ...causes,
    ...annotationCauses(fieldsAt(object, 'metadata', 'annotations')),
    ...finalizerCauses(object, kind),
    ...ownerCauses(object),
  ];
}

/** Bytes of the annotations of an object, keys included (apimachinery TotalAnnotationSizeLimitB). */
const mostAnnotationBytes = 256 * 1024;

function annotationCauses(annotations: Fields): Cause[] {
  const entries = Object.entries(annotations);
  const length = entries.reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  const isLong =
    length * 3 > mostAnnotationBytes &&
    new TextEncoder().encode(entries.map(([key, value]) => `${key}${String(value)}`).join('')).length >
      mostAnnotationBytes;
  return [
    ...entries
      .filter(([key]) => !isQualifiedName(key.toLowerCase()))
      .map(([key]) => invalidField('metadata.annotations', key, namePartRule, `correct the key ${key}`)),
    ...(isLong ? [tooLong('metadata.annotations', mostAnnotationBytes, 'shorten them')] : []),
  ];
}

/** Custom resources and their definitions accept any qualified name (core validation, validateKubeFinalizerName, is for the others). */
function finalizerCauses(object: Fields, kind: RuledKind): Cause[] {
  return listAt(object, 'metadata', 'finalizers').flatMap((item, index) => {
    const name = String(item);
    const field = `metadata.finalizers[${index}]`;
    if (!isQualifiedName(name)) return [invalidField(field, name, namePartRule, finalizerFix)];
    if (name.includes('/') || kind.custom || standardFinalizers.has(name) || kind.group === 'apiextensions.k8s.io')
      return [];
    return [
      invalidField(field, name, 'name is neither a standard finalizer name nor is it fully qualified', finalizerFix),
    ];
  });
}
const finalizerFix = 'write for example example.com/finalizer';
const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

const ownerCauses = (object: Fields): Cause[] =>
  listAt(object, 'metadata', 'ownerReferences').flatMap((owner) =>
    ['apiVersion', 'kind', 'name', 'uid']
      .filter((name) => textAt(owner, name) === '')
      .map((name) =>
        invalidField(
          `metadata.ownerReferences.${name}`,
          '',
          `${name === 'apiVersion' ? 'version' : name} must not be empty`,
        ),
      ),
  );
