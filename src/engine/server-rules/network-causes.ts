import { isDnsLabel, isSubdomain } from '../../api/syntax.ts';
import { at, listAt, numberAt, textAt } from '../kernel/at.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { type Cause, duplicateField, forbiddenField, invalidField, requiredField } from './cause.ts';
import { isAddress, isWithin, parseCidr } from './cidr.ts';
import { labelFix, labelRule } from './container-causes.ts';
import { distinctNames } from './distinct-names.ts';
import { selectorCauses } from './label-causes.ts';
import { portCauses } from './port-causes.ts';

/** Ports of a Service, and who may reach its load balancer (core validation, ValidateService). */
export function serviceCauses(service: Fields): Cause[] {
  const { spec } = service;
  const ports = listAt(spec, 'ports');
  const causes = [
    ...ports.flatMap((port, index) => [
      ...(ports.length > 1 && textAt(port, 'name') === '' ? [requiredField(`spec.ports[${index}].name`)] : []),
      ...servicePortCauses(port, `spec.ports[${index}]`),
    ]),
    ...distinctNames(ports, 'spec.ports'),
    ...repeatedPorts(ports),
    ...typeCauses(spec, ports),
    ...rangesCauses(spec),
  ];
  const needsNoPorts = textAt(spec, 'type') === 'ExternalName' || textAt(spec, 'clusterIP') === 'None';
  return ports.length === 0 && !needsNoPorts ? [requiredField('spec.ports'), ...causes] : causes;
}

function servicePortCauses(port: unknown, field: string): Cause[] {
  const [name, number, target] = [textAt(port, 'name'), at(port, 'port'), at(port, 'targetPort')];
  return [
    ...(name === '' || isDnsLabel(name) ? [] : [invalidField(`${field}.name`, name, labelRule, labelFix)]),
    ...(typeof number === 'number' ? portCauses(number, `${field}.port`) : []),
    // Both are as if it was left out (SetDefaults_Service).
    ...(target === 0 || target === '' ? [] : portCauses(target, `${field}.targetPort`)),
  ];
}

/** A port of one protocol is there once. */
function repeatedPorts(ports: readonly unknown[]): Cause[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const key = `${textAt(port, 'port')}/${textAt(port, 'protocol') || 'TCP'}`;
    if (seen.has(key)) return [duplicateField(`spec.ports[${index}]`, port)];
    seen.add(key);
    return [];
  });
}

/** What only some types of Services have. */
function typeCauses(spec: unknown, ports: readonly unknown[]): Cause[] {
  const type = textAt(spec, 'type') || 'ClusterIP';
  const [address, name] = [textAt(spec, 'clusterIP'), textAt(spec, 'externalName')];
  const isHeadless = address === 'None';
  const isOpen = type === 'NodePort' || type === 'LoadBalancer' || listAt(spec, 'externalIPs').length > 0;
  const policy = textAt(spec, 'externalTrafficPolicy');
  const asBalancer = "may only be used when `type` is 'LoadBalancer'";
  return [
    ...(type !== 'ClusterIP' ? [] : ports.flatMap((port, index) => nodePortCauses(port, `spec.ports[${index}]`))),
    ...(type === 'ExternalName' && name === '' ? [requiredField('spec.externalName')] : []),
    ...(type === 'ExternalName' && name !== '' && !isSubdomain(name.replace(/\.$/, ''))
      ? [invalidField('spec.externalName', name, 'must be a DNS name', 'write for example db.example.com')]
      : []),
    ...(policy !== '' && !isOpen
      ? [
          invalidField(
            'spec.externalTrafficPolicy',
            policy,
            'may only be set for externally-accessible services',
            'remove it, or write type: LoadBalancer or NodePort',
          ),
        ]
      : []),
    ...(textAt(spec, 'loadBalancerClass') !== '' && type !== 'LoadBalancer'
      ? [{ ...forbiddenField('spec.loadBalancerClass', asBalancer), fix: 'remove it' }]
      : []),
    ...(isHeadless && (type === 'NodePort' || type === 'LoadBalancer')
      ? [invalidField('spec.clusterIP', address, `may not be set to 'None' for ${type} services`, 'remove it')]
      : []),
    ...(address === '' || isHeadless || isAddress(address)
      ? []
      : [invalidField('spec.clusterIP', address, "must be empty, 'None', or a valid IP address", 'remove it')]),
  ];
}

function nodePortCauses(port: unknown, field: string): Cause[] {
  if (numberAt(port, 'nodePort') === 0) return [];
  const why = "may not be used when `type` is 'ClusterIP'";
  return [{ ...forbiddenField(`${field}.nodePort`, why), fix: 'remove it, or write type: NodePort' }];
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
export const networkPolicyCauses = (policy: Fields): Cause[] => [
  ...selectorCauses(at(policy, 'spec', 'podSelector'), 'spec.podSelector'),
  ...(['ingress', 'egress'] as const).flatMap((direction) =>
    listAt(policy, 'spec', direction).flatMap((rule, r) => {
      const field = `spec.${direction}[${r}]`;
      const peers = direction === 'ingress' ? 'from' : 'to';
      return [
        ...listAt(rule, 'ports').flatMap((port, p) => rulePortCauses(port, `${field}.ports[${p}]`)),
        ...listAt(rule, peers).flatMap((peer, p) => peerCauses(peer, `${field}.${peers}[${p}]`)),
      ];
    }),
  ),
];

function rulePortCauses(port: unknown, field: string): Cause[] {
  const [first, last] = [at(port, 'port') ?? undefined, at(port, 'endPort')];
  const causes = portCauses(first, `${field}.port`);
  if (typeof last !== 'number') return causes;
  const place = `${field}.endPort`;
  if (typeof first === 'number')
    return last >= first
      ? [...causes, ...portCauses(last, place)]
      : [...causes, invalidField(place, last, 'must be greater than or equal to `port`', `write ${first} or more`)];
  const why = `may not be specified when \`port\` is ${first === undefined ? 'not specified' : 'non-numeric'}`;
  return [...causes, invalidField(place, last, why, 'write port as a number')];
}

function peerCauses(peer: unknown, field: string): Cause[] {
  const selectors = ['podSelector', 'namespaceSelector'].filter((name) => isFields(at(peer, name)));
  const isBlock = isFields(at(peer, 'ipBlock'));
  return [
    ...(selectors.length === 0 && !isBlock
      ? [requiredField(field, 'must specify a peer', 'add podSelector, namespaceSelector or ipBlock')]
      : []),
    ...(selectors.length > 0 && isBlock
      ? [
          {
            ...forbiddenField(field, 'may not specify both ipBlock and another peer'),
            fix: 'make it two items of the list',
          },
        ]
      : []),
    ...selectors.flatMap((name) => selectorCauses(at(peer, name), `${field}.${name}`)),
    ...blockCauses(at(peer, 'ipBlock'), `${field}.ipBlock`),
  ];
}

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
