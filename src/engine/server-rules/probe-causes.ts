import { at, listAt, textAt } from '../kernel/at.ts';
import { isFields } from '../kernel/fields.ts';
import { type Cause, forbiddenField, invalidField, notAmong, requiredField } from './cause.ts';
import { negativeCause } from './number-causes.ts';
import { portCauses } from './port-causes.ts';

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const hooks = ['lifecycle.postStart', 'lifecycle.preStop'];
const numbers = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];
const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

/** Probes and hooks of a container (core validation, validateProbe, validateHandler). */
export const probesCauses = (container: unknown, field: string): Cause[] => [
  ...probes.flatMap((name) => probeCauses(at(container, name), `${field}.${name}`, name)),
  ...hooks.flatMap((path) =>
    handlerCauses(at(container, ...path.split('.')), `${field}.${path}`, 'add exec, httpGet or sleep'),
  ),
];

/** Init containers that end have none (core validation, validateInitContainers). */
export const endingCauses = (container: unknown, field: string): Cause[] =>
  [...probes, 'lifecycle']
    .filter((name) => isFields(at(container, name)))
    .map((name) => ({
      ...forbiddenField(`${field}.${name}`, 'may not be set for init containers without restartPolicy=Always'),
      fix: 'remove it, or write restartPolicy: Always',
    }));

function probeCauses(probe: unknown, field: string, name: string): Cause[] {
  if (!isFields(probe)) return [];
  const successes = probe['successThreshold'];
  const isOne = name === 'readinessProbe' || typeof successes !== 'number' || successes <= 1;
  return [
    ...handlerCauses(probe, field, 'add httpGet, tcpSocket, grpc or exec'),
    ...numbers.flatMap((number) => negativeCause(probe[number], `${field}.${number}`)),
    ...(isOne ? [] : [invalidField(`${field}.successThreshold`, successes, 'must be 1', 'write 1')]),
  ];
}

function handlerCauses(probe: unknown, field: string, fix: string): Cause[] {
  if (!isFields(probe)) return [];
  const [first, ...more] = handlers.filter((handler) => isFields(probe[handler]));
  if (first === undefined) return [requiredField(field, 'must specify a handler type', fix)];
  const scheme = textAt(probe, 'httpGet', 'scheme');
  return [
    ...more.map((handler) => ({
      ...forbiddenField(`${field}.${handler}`, 'may not specify more than 1 handler type'),
      fix: `keep ${first} or ${handler}`,
    })),
    ...['httpGet', 'tcpSocket'].flatMap((handler) =>
      portCauses(at(probe, handler, 'port'), `${field}.${handler}.port`),
    ),
    ...(scheme === '' || schemes.includes(scheme) ? [] : [notAmong(`${field}.httpGet.scheme`, scheme, schemes)]),
    ...(isFields(probe['exec']) && listAt(probe, 'exec', 'command').length === 0
      ? [requiredField(`${field}.exec.command`)]
      : []),
  ];
}

const schemes = ['HTTP', 'HTTPS'];
