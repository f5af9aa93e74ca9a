import { isSubdomain } from '../../api/syntax.ts';
import { at, listAt, textAt } from '../kernel/at.ts';
import type { Fields } from '../kernel/fields.ts';
import { type Cause, forbiddenField, invalidField, requiredField } from './cause.ts';
import { isWithin, parseCidr } from './cidr.ts';
import { distinctNames } from './pod-causes.ts';
import { portCauses } from './port-causes.ts';

/** Ports of a Service, and who may reach its load balancer (core validation, ValidateService). */
export function serviceCauses(service: Fields): Cause[] {
  const { spec } = service;
  const ports = listAt(spec, 'ports');
  const causes = [
    ...ports.flatMap((port, index) => [
      ...(ports.length > 1 && textAt(port, 'name') === '' ? [requiredField(`spec.ports[${index}].name`)] : []),
      ...portCauses(at(port, 'targetPort'), `spec.ports[${index}].targetPort`),
    ]),
    ...distinctNames(ports, 'spec.ports'),
    ...rangesCauses(spec),
  ];
  const needsNoPorts = textAt(spec, 'type') === 'ExternalName' || textAt(spec, 'clusterIP') === 'None';
  return ports.length === 0 && !needsNoPorts ? [requiredField('spec.ports'), ...causes] : causes;
}

function rangesCauses(spec: unknown): Cause[] {
  const ranges = listAt(spec, 'loadBalancerSourceRanges');
  if (ranges.length === 0) return [];
  const field = 'spec.loadBalancerSourceRanges';
  return [
    ...(textAt(spec, 'type') === 'LoadBalancer'
      ? []
      : [{ ...forbiddenField(field, "may only be used when `type` is 'LoadBalancer'"), fix: 'remove it' }]),
    // Spaces around it are left from the annotation that had them before.
    ...ranges.flatMap((range, index) => cidrCauses(String(range).trim(), `${field}[${index}]`)),
  ];
}

const cidrCauses = (text: string, field: string): Cause[] =>
  parseCidr(text) === undefined
    ? [invalidField(field, text, 'must be a valid CIDR value', 'write for example 10.0.0.0/8 or fd00::/8')]
    : [];

/** Blocks and ports of the rules of a NetworkPolicy (networking validation, ValidateNetworkPolicySpec). */
export const networkPolicyCauses = (policy: Fields): Cause[] =>
  (['ingress', 'egress'] as const).flatMap((direction) =>
    listAt(policy, 'spec', direction).flatMap((rule, r) => {
      const field = `spec.${direction}[${r}]`;
      const peers = direction === 'ingress' ? 'from' : 'to';
      return [
        ...listAt(rule, 'ports').flatMap((port, p) => portCauses(at(port, 'port'), `${field}.ports[${p}].port`)),
        ...listAt(rule, peers).flatMap((peer, p) =>
          blockCauses(at(peer, 'ipBlock'), `${field}.${peers}[${p}].ipBlock`),
        ),
      ];
    }),
  );

function blockCauses(ipBlock: unknown, field: string): Cause[] {
  if (ipBlock === undefined || ipBlock === null) return [];
  const text = textAt(ipBlock, 'cidr');
  const outer = parseCidr(text);
  if (outer === undefined) return text === '' ? [requiredField(`${field}.cidr`)] : cidrCauses(text, `${field}.cidr`);
  return listAt(ipBlock, 'except').flatMap((except, index) => {
    const place = `${field}.except[${index}]`;
    const inner = parseCidr(String(except));
    if (inner === undefined) return cidrCauses(String(except), place);
    if (isWithin(inner, outer)) return [];
    return [invalidField(place, except, 'must be a strict subset of `cidr`', `write a smaller block within ${text}`)];
  });
}

/** Names of webhooks (admissionregistration validation, IsFullyQualifiedName). */
export function webhookCauses(configuration: Fields): Cause[] {
  const webhooks = listAt(configuration, 'webhooks');
  return [
    ...webhooks.flatMap((webhook, index) => {
      const name = textAt(webhook, 'name');
      const field = `webhooks[${index}].name`;
      if (name === '') return [requiredField(field)];
      if (isSubdomain(name) && name.split('.').length >= 3) return [];
      const why = 'should be a domain with at least three segments separated by dots';
      return [invalidField(field, name, why, 'write for example policy.example.com')];
    }),
    ...distinctNames(webhooks, 'webhooks'),
  ];
}
