import { isSubdomain } from '../../api/syntax.ts';
import { at, listAt, numberAt, textAt } from '../kernel/at.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { type Cause, invalidField, requiredField } from './cause.ts';
import { isAddress } from './cidr.ts';
import { isPortName, portCauses, portRule } from './port-causes.ts';

/** Rules, hosts and backends of an Ingress (networking validation, ValidateIngressSpec). */
export function ingressCauses({ spec }: Fields): Cause[] {
  const rules = listAt(spec, 'rules');
  const backend = at(spec, 'defaultBackend');
  return [
    ...(rules.length === 0 && !isFields(backend)
      ? [invalidField('spec', rules, 'either `defaultBackend` or `rules` must be specified', 'add rules')]
      : []),
    ...(isFields(backend) ? backendCauses(backend, 'spec.defaultBackend') : []),
    ...rules.flatMap((rule, r) => [
      ...ruleHostCauses(textAt(rule, 'host'), `spec.rules[${r}].host`),
      ...listAt(rule, 'http', 'paths').flatMap((item, p) => pathCauses(item, `spec.rules[${r}].http.paths[${p}]`)),
    ]),
    ...listAt(spec, 'tls').flatMap((item, t) =>
      listAt(item, 'hosts').flatMap((host, h) => hostCauses(String(host), `spec.tls[${t}].hosts[${h}]`)),
    ),
  ];
}

/** Unlike a host of `tls` it may not be an IP address (validateIngressRules). */
function ruleHostCauses(host: string, field: string): Cause[] {
  if (isAddress(host))
    return [invalidField(field, host, 'must be a DNS name, not an IP address', 'write for example shop.example.com')];
  return hostCauses(host, field);
}

function hostCauses(host: string, field: string): Cause[] {
  if (host === '') return [];
  if (isSubdomain(host.startsWith('*.') ? host.slice(2) : host)) return [];
  const bare = /^(?:\w+:\/\/)?([^:/]+)/.exec(host)?.[1]?.toLowerCase();
  const fix =
    bare !== undefined && bare !== host && isSubdomain(bare) ? `write ${bare}` : 'write for example shop.example.com';
  return [invalidField(field, host, 'must be a DNS name in lower case, without scheme, port and path', fix)];
}

/** An absent path is none for types other than those two (validateIngressPath). */
function pathCauses(item: unknown, field: string): Cause[] {
  const [path, type, backend] = [textAt(item, 'path'), textAt(item, 'pathType'), at(item, 'backend')];
  const isFree = path === '' && type !== 'Exact' && type !== 'Prefix';
  return [
    ...(isFree || path.startsWith('/')
      ? []
      : [invalidField(`${field}.path`, path, 'must be an absolute path', 'begin it with /')]),
    ...(isFields(backend) ? backendCauses(backend, `${field}.backend`) : []),
  ];
}

function backendCauses(backend: Fields, field: string): Cause[] {
  const { service, resource } = backend;
  if (isFields(service) && isFields(resource))
    return [invalidField(field, '', 'cannot set both resource and service backends', 'keep one of them')];
  if (isFields(resource)) return [];
  if (!isFields(service))
    return [invalidField(field, '', 'resource or service backend is required', 'add service with name and port')];
  const [name, number] = [textAt(service, 'port', 'name'), numberAt(service, 'port', 'number')];
  if (name !== '' && number !== 0)
    return [invalidField(field, '', 'cannot set both port name & port number', 'keep one of them')];
  if (number !== 0) return portCauses(number, `${field}.service.port.number`);
  if (name === '')
    return [requiredField(field, 'port name or number is required', 'add service.port.number or service.port.name')];
  return isPortName(name)
    ? []
    : [invalidField(`${field}.service.port.name`, name, portRule, 'write the name of a port of the Service')];
}
