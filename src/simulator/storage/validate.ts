import { isLabelValue, isQualifiedName, isSubdomain } from '../../api/syntax.ts';
import { parseCron } from '../../engine/window/cron.ts';
import { isTimeZone } from '../../engine/window/time-zone.ts';
import { repeatedItems } from '../fields/list-key.ts';
import { type Kind, storageKey } from '../kinds/kind.ts';
import { at, fieldsAt, listAt, textAt } from '../object.ts';
import { type Fields, fieldOf, isFields, itemOf, type Schema } from '../schema/schema.ts';
import { invalidField, requiredField, type StatusCause, unsupportedField } from '../serve/status-error.ts';

/** What is wrong with an object, as the causes of a 422; empty when it may be stored. */
export function validate(object: Fields, kind: Kind): StatusCause[] {
  return [...metadata(object, kind), ...shape(object, kind), ...(byKind[storageKey(kind)]?.(object) ?? [])];
}

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
/** RBAC names may hold colons, and CRD-like names dots: any path segment does. */
const freeNames = new Set(['rbac.authorization.k8s.io']);
const labelNames = new Set(['/namespaces', '/services']);
const isLabel = (text: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text);

function metadata(object: Fields, kind: Kind): StatusCause[] {
  const causes: StatusCause[] = [];
  const name = textAt(object, 'metadata', 'name');
  const key = storageKey(kind);
  if (name === '') causes.push(requiredField('metadata.name', 'name or generateName is required'));
  else if (labelNames.has(key) && !isLabel(name)) causes.push(invalidField('metadata.name', name, labelRule));
  else if (!freeNames.has(kind.group) && !isSubdomain(name))
    causes.push(invalidField('metadata.name', name, subdomainRule));
  for (const [label, value] of Object.entries(fieldsAt(object, 'metadata', 'labels'))) {
    if (!isQualifiedName(label)) {
      causes.push(
        invalidField(
          'metadata.labels',
          label,
          "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        ),
      );
    }
    if (!isLabelValue(String(value))) {
      causes.push(
        invalidField(
          'metadata.labels',
          value,
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        ),
      );
    }
  }
  return causes;
}

/** What the schema alone demands: required fields, enums, and for custom resources lengths, bounds and patterns. */
function shape(object: Fields, kind: Kind): StatusCause[] {
  const causes: StatusCause[] = [];
  walk(object, kind.schema, '');
  return causes;

  function walk(value: unknown, schema: Schema, path: string): void {
    if (value === null && schema.nullable) return;
    if (schema.enum && !schema.enum.includes(value)) causes.push(unsupportedField(path, value, schema.enum));
    if (isFields(value)) {
      if (path === 'metadata' && !kind.custom) return;
      for (const name of schema.required ?? []) {
        // An empty object counts: a CRD or a policy may mean something by it. So does an empty text of a custom resource.
        if (value[name] === undefined || (value[name] === '' && !kind.custom))
          causes.push(requiredField(path === '' ? name : `${path}.${name}`));
      }
      for (const [key, item] of Object.entries(value)) {
        const child = fieldOf(schema, key);
        if (child) walk(item, child, path === '' ? key : `${path}.${key}`);
      }
    } else if (Array.isArray(value)) {
      if (schema.minItems !== undefined && value.length < schema.minItems)
        causes.push(invalidField(path, value.length, `${path} in body should have at least ${schema.minItems} items`));
      if (schema.maxItems !== undefined && value.length > schema.maxItems)
        causes.push({
          reason: 'FieldValueTooMany',
          message: `Too many: ${value.length}: must have at most ${schema.maxItems} items`,
          field: path,
        });
      if (kind.custom)
        for (const [index, key] of repeatedItems(value, schema)) causes.push(duplicateField(`${path}[${index}]`, key));
      for (const [index, item] of value.entries()) walk(item, itemOf(schema), `${path}[${index}]`);
    } else if (kind.custom) bounds(value, schema, path);
  }

  function bounds(value: unknown, schema: Schema, path: string): void {
    const wrong = (why: string) => causes.push(invalidField(path, value, `${path} in body ${why}`));
    if (typeof value === 'number') {
      if (schema.minimum !== undefined && value < schema.minimum)
        wrong(`should be greater than or equal to ${schema.minimum}`);
      if (schema.maximum !== undefined && value > schema.maximum)
        wrong(`should be less than or equal to ${schema.maximum}`);
    }
    if (typeof value === 'string') {
      if (schema.minLength !== undefined && value.length < schema.minLength)
        wrong(`should be at least ${schema.minLength} chars long`);
      if (schema.maxLength !== undefined && value.length > schema.maxLength)
        causes.push({
          reason: 'FieldValueTooLong',
          message: `Too long: may not be more than ${schema.maxLength} bytes`,
          field: path,
        });
      if (schema.pattern !== undefined && patternOf(schema.pattern)?.test(value) === false)
        wrong(`should match '${schema.pattern}'`);
    }
  }
}

/** Patterns are written for Go. What JavaScript reads in neither of its ways is not checked. */
function patternOf(text: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(text, flags);
    } catch {
      // Stricter first: only with this flag do letters beyond 16 bits count as one.
    }
  }
  return undefined;
}

const duplicateField = (field: string, value: unknown): StatusCause => ({
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${JSON.stringify(value)}`,
  field,
});

/** Names have to differ from each other. */
const distinctNames = (items: readonly unknown[], path: string): StatusCause[] =>
  items.flatMap((item, index) => {
    const name = textAt(item, 'name');
    const first = items.findIndex((other) => textAt(other, 'name') === name);
    return name !== '' && first < index ? [duplicateField(`${path}[${index}].name`, name)] : [];
  });

type Check = (object: Fields) => StatusCause[];

function template(object: Fields, path: readonly string[]): StatusCause[] {
  const spec = at(object, ...path);
  const prefix = path.join('.');
  if (listAt(spec, 'containers').length === 0) return [requiredField(`${prefix}.containers`)];
  const causes = listAt(spec, 'containers').flatMap((container, index) =>
    textAt(container, 'image') === '' ? [requiredField(`${prefix}.containers[${index}].image`)] : [],
  );
  for (const list of ['containers', 'initContainers', 'volumes'])
    causes.push(...distinctNames(listAt(spec, list), `${prefix}.${list}`));
  const volumes = new Set(listAt(spec, 'volumes').map((volume) => textAt(volume, 'name')));
  listAt(spec, 'containers').forEach((container, c) => {
    listAt(container, 'volumeMounts').forEach((mount, m) => {
      const name = textAt(mount, 'name');
      if (
        volumes.has(name) ||
        listAt(object, 'spec', 'volumeClaimTemplates').some((claim) => textAt(claim, 'metadata', 'name') === name)
      )
        return;
      causes.push({
        reason: 'FieldValueNotFound',
        message: `Not found: ${JSON.stringify(name)}`,
        field: `${prefix}.containers[${c}].volumeMounts[${m}].name`,
      });
    });
  });
  return causes;
}

const selected: Check = (object) => {
  const causes = template(object, ['spec', 'template', 'spec']);
  const labels = fieldsAt(object, 'spec', 'template', 'metadata', 'labels');
  const wanted = fieldsAt(object, 'spec', 'selector', 'matchLabels');
  if (at(object, 'spec', 'selector') === undefined) return causes;
  const mismatch = Object.entries(wanted).some(([key, value]) => labels[key] !== value);
  if (mismatch) {
    causes.push(invalidField('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  }
  return causes;
};

function scheduled(schedule: string, timeZone: string): StatusCause[] {
  const wrongZone = timeZone !== '' && !isTimeZone(timeZone);
  return [
    ...(schedule !== '' && !parseCron(schedule)
      ? [invalidField('spec.schedule', schedule, 'it is not a cron schedule of five fields')]
      : []),
    ...(wrongZone ? [invalidField('spec.timeZone', timeZone, `unknown time zone ${timeZone}`)] : []),
  ];
}

const byKind: Readonly<Record<string, Check>> = {
  '/pods': (pod) => template(pod, ['spec']),
  'apps/deployments': selected,
  'apps/statefulsets': selected,
  'apps/daemonsets': selected,
  'batch/jobs': (job) => {
    const causes = template(job, ['spec', 'template', 'spec']);
    const policy = textAt(job, 'spec', 'template', 'spec', 'restartPolicy');
    if (policy !== 'Never' && policy !== 'OnFailure')
      causes.push({
        ...unsupportedField('spec.template.spec.restartPolicy', policy, ['OnFailure', 'Never']),
        reason: 'FieldValueRequired',
      });
    return causes;
  },
  'batch/cronjobs': (cron) => [
    ...scheduled(textAt(cron, 'spec', 'schedule'), textAt(cron, 'spec', 'timeZone')),
    ...template(cron, ['spec', 'jobTemplate', 'spec', 'template', 'spec']),
  ],
  '/services': (service) => {
    const headless = textAt(service, 'spec', 'clusterIP') === 'None';
    if (textAt(service, 'spec', 'type') === 'ExternalName' || headless) return [];
    return listAt(service, 'spec', 'ports').length === 0 ? [requiredField('spec.ports')] : [];
  },
  '/persistentvolumeclaims': (claim) => [
    ...(listAt(claim, 'spec', 'accessModes').length === 0
      ? [requiredField('spec.accessModes', 'at least 1 access mode is required')]
      : []),
    ...(at(claim, 'spec', 'resources', 'requests', 'storage') === undefined
      ? [requiredField('spec.resources[storage]')]
      : []),
  ],
  'apiextensions.k8s.io/customresourcedefinitions': (crd) => {
    const name = `${textAt(crd, 'spec', 'names', 'plural')}.${textAt(crd, 'spec', 'group')}`;
    const causes: StatusCause[] = [];
    if (textAt(crd, 'metadata', 'name') !== name)
      causes.push(
        invalidField('metadata.name', textAt(crd, 'metadata', 'name'), `must be spec.names.plural+"."+spec.group`),
      );
    if (listAt(crd, 'spec', 'versions').filter((version) => at(version, 'storage') === true).length !== 1)
      causes.push(
        invalidField(
          'spec.versions',
          listAt(crd, 'spec', 'versions'),
          'must have exactly one version marked as storage version',
        ),
      );
    listAt(crd, 'spec', 'versions').forEach((version, index) => {
      if (at(version, 'schema', 'openAPIV3Schema') === undefined)
        causes.push(requiredField(`spec.versions[${index}].schema.openAPIV3Schema`, 'schemas are required'));
    });
    return causes;
  },
};
