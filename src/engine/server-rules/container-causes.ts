import { isDnsLabel } from '../../api/syntax.ts';
import { at, listAt, textAt } from '../kernel/at.ts';
import { isFields } from '../kernel/fields.ts';
import { type Cause, invalidField, requiredField } from './cause.ts';
import { distinctNames } from './distinct-names.ts';
import { isPortName, portCauses, portRule } from './port-causes.ts';
import { endingCauses, probesCauses } from './probe-causes.ts';
import { resourceCauses } from './resource-causes.ts';

export const labelRule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'";
export const labelFix = 'use at most 63 lower-case letters, digits and -';

/** Validation errors of a container (core validation, validateContainerCommon). Servers set the image of no container. */
export function containerCauses(container: unknown, field: string, list: string): Cause[] {
  const name = textAt(container, 'name');
  const ports = listAt(container, 'ports');
  return [
    ...(textAt(container, 'image') === '' ? [requiredField(`${field}.image`)] : []),
    ...(name === '' || isDnsLabel(name) ? [] : [invalidField(`${field}.name`, name, labelRule, labelFix)]),
    ...ports.flatMap((port, index) => portsCauses(port, `${field}.ports[${index}]`)),
    ...distinctNames(ports, `${field}.ports`),
    ...listAt(container, 'env').flatMap((variable, index) => envCauses(variable, `${field}.env[${index}]`)),
    ...probesCauses(container, field),
    ...(list === 'initContainers' && textAt(container, 'restartPolicy') !== 'Always'
      ? endingCauses(container, field)
      : []),
    ...resourceCauses(container, field),
    ...privilegeCauses(container, field),
  ];
}

function portsCauses(port: unknown, field: string): Cause[] {
  const text = textAt(port, 'name');
  const [own, host] = [at(port, 'containerPort'), at(port, 'hostPort')];
  return [
    ...(text === '' || isPortName(text)
      ? []
      : [invalidField(`${field}.name`, text, portRule, 'write a shorter one, for example http')]),
    ...(typeof own === 'number' ? portCauses(own, `${field}.containerPort`) : []),
    ...(typeof host === 'number' && host !== 0 ? portCauses(host, `${field}.hostPort`) : []),
  ];
}

/** Fields of a pod that a variable may show. */
const shown =
  /^(?:metadata\.(?:name|namespace|uid)|metadata\.(?:labels|annotations)\['.*'\]|spec\.(?:nodeName|host|serviceAccountName)|status\.(?:hostIPs?|podIPs?))$/;

function envCauses(variable: unknown, field: string): Cause[] {
  const [name, value, from] = [textAt(variable, 'name'), textAt(variable, 'value'), at(variable, 'valueFrom')];
  const path = textAt(from, 'fieldRef', 'fieldPath');
  const sources = isFields(from) ? Object.values(from).filter(isFields).length : 1;
  return [
    // Printable ASCII (apimachinery validation, IsRelaxedEnvVarName).
    ...(name === '' || /^[ -<>-~]+$/.test(name)
      ? []
      : [
          invalidField(
            `${field}.name`,
            name,
            "a valid environment variable name has no '='",
            'use letters, digits and _',
          ),
        ]),
    ...(isFields(from) && value !== ''
      ? [invalidField(`${field}.valueFrom`, '', 'may not be specified when `value` is not empty', 'keep one of them')]
      : []),
    ...(sources > 1
      ? [
          invalidField(
            `${field}.valueFrom`,
            '',
            'may not have more than one field specified at a time',
            'keep one source',
          ),
        ]
      : []),
    ...(sources === 0
      ? [invalidField(`${field}.valueFrom`, '', 'must specify a source', 'add for example secretKeyRef or fieldRef')]
      : []),
    ...(path === '' || shown.test(path)
      ? []
      : [invalidField(`${field}.valueFrom.fieldRef.fieldPath`, path, 'no variable may show this field', pathFix)]),
  ];
}

const pathFix = 'write for example metadata.name, spec.nodeName or status.podIP';

function privilegeCauses(container: unknown, field: string): Cause[] {
  const security = at(container, 'securityContext');
  if (at(security, 'privileged') !== true || at(security, 'allowPrivilegeEscalation') !== false) return [];
  const why = 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true';
  return [invalidField(`${field}.securityContext`, security, why, 'remove one of them')];
}
