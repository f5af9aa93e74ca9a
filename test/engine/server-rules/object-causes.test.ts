import { describe, expect, it } from 'vitest';
import { isWithin, parseCidr } from '../../../src/engine/server-rules/cidr.ts';
import { objectCauses } from '../../../src/engine/server-rules/object-causes.ts';

const causes = (group: string, kind: string, object: object): string[] =>
  objectCauses({ metadata: { name: 'a' }, ...object }, { group, kind, custom: false }).map(
    ({ field, why }) => `${field}: ${why}`,
  );
const pod = (spec: object, container: object = {}): string[] =>
  causes('', 'Pod', { spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec } });

describe('addresses', () => {
  it.each([
    ['10.0.0.0/8', true],
    ['0.0.0.0/0', true],
    ['10.1.2.3/8', true],
    ['010.0.0.0/8', true],
    ['fd00::/8', true],
    ['::/0', true],
    ['::ffff:10.0.0.0/104', true],
    ['1:2:3:4:5:6:7:8/128', true],
    ['10.0.0.0', false],
    ['10.0.0.0/33', false],
    ['10.0.0/8', false],
    ['10.0.0.256/8', false],
    ['fd00::/129', false],
    ['fd00:::/8', false],
    ['1::2::3/8', false],
    ['1:2:3:4:5:6:7/64', false],
    ['1:2:3:4:5:6:7::8/64', false],
    ['fd00::g/8', false],
    ['10.0.0.0/-1', false],
    ['', false],
  ])('%s', (text, isOne) => {
    expect(parseCidr(text) !== undefined).toBe(isOne);
  });

  it.each([
    ['10.0.1.0/24', '10.0.0.0/16', true],
    ['10.0.0.0/16', '10.0.0.0/16', false],
    ['10.0.0.0/8', '10.0.0.0/16', false],
    ['10.1.0.0/24', '10.0.0.0/16', false],
    ['fd00:1::/32', 'fd00::/8', true],
    ['10.0.0.0/24', '::/0', false],
    ['::ffff:10.0.1.0/120', '10.0.0.0/16', true],
  ])('%s within %s: %s', (inner, outer, expected) => {
    expect(isWithin(parseCidr(inner)!, parseCidr(outer)!)).toBe(expected);
  });
});

it('blocks and ports of a NetworkPolicy', () => {
  const spec = {
    ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/16', except: ['10.0.1.0/24', '10.0.0.0/16', 'x'] } }] }],
    egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/99' } }, { ipBlock: {} }], ports: [{ port: 0 }, { port: 'http' }] }],
  };
  expect(causes('networking.k8s.io', 'NetworkPolicy', { spec })).toEqual([
    'spec.ingress[0].from[0].ipBlock.except[1]: must be a strict subset of `cidr`',
    'spec.ingress[0].from[0].ipBlock.except[2]: must be a valid CIDR value',
    'spec.egress[0].ports[0].port: must be between 1 and 65535, inclusive',
    'spec.egress[0].to[0].ipBlock.cidr: must be a valid CIDR value',
    'spec.egress[0].to[1].ipBlock.cidr: ',
  ]);
});

it('source ranges and target ports of a Service', () => {
  const ports = [{ port: 80, targetPort: 'http' }];
  const of = (spec: object) => causes('', 'Service', { spec: { ports, ...spec } });
  expect(of({ type: 'LoadBalancer', loadBalancerSourceRanges: [' 10.0.0.0/8 ', '10.0.0.0'] })).toEqual([
    'spec.loadBalancerSourceRanges[1]: must be a valid CIDR value',
  ]);
  expect(of({ loadBalancerSourceRanges: ['10.0.0.0/8'] })).toEqual([
    "spec.loadBalancerSourceRanges: may only be used when `type` is 'LoadBalancer'",
  ]);
  expect(of({ ports: [{ port: 80, targetPort: 70_000 }] })).toEqual([
    'spec.ports[0].targetPort: must be between 1 and 65535, inclusive',
  ]);
});

const webhook = {
  name: 'a.b.c',
  clientConfig: { url: 'https://a.b/c' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

it.each(['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'])('names of webhooks: %s', (kind) => {
  const webhooks = ['policy.example.com', 'a.b', 'a.b.c', 'A.b.c', 'a.b.c', 'a.b.d.'].map((name) => ({
    ...webhook,
    name,
  }));
  expect(causes('admissionregistration.k8s.io', kind, { webhooks })).toEqual([
    'webhooks[1].name: should be a domain with at least three segments separated by dots',
    'webhooks[3].name: should be a domain with at least three segments separated by dots',
    'webhooks[5].name: should be a domain with at least three segments separated by dots',
    'webhooks[4].name: occurs twice',
  ]);
});

describe('pods', () => {
  it.each<[string, string[], string[]]>([
    [
      'two handlers',
      pod({}, { livenessProbe: { exec: { command: ['a'] }, httpGet: { port: 80 } } }),
      ['spec.containers[0].livenessProbe.httpGet: may not specify more than 1 handler type'],
    ],
    [
      'no handler',
      pod({}, { readinessProbe: { periodSeconds: 5 } }),
      ['spec.containers[0].readinessProbe: must specify a handler type'],
    ],
    [
      'a port of a probe',
      pod({}, { startupProbe: { tcpSocket: { port: 65_536 } } }),
      ['spec.containers[0].startupProbe.tcpSocket.port: must be between 1 and 65535, inclusive'],
    ],
    [
      'a hook with two handlers',
      pod({}, { lifecycle: { preStop: { sleep: { seconds: 5 }, exec: { command: ['a'] } } } }),
      ['spec.containers[0].lifecycle.preStop.sleep: may not specify more than 1 handler type'],
    ],
    [
      'names of ports',
      pod({}, { ports: [{ name: 'http' }, { name: 'http' }, {}, {}] }),
      ['spec.containers[0].ports[1].name: occurs twice'],
    ],
    ['names of volumes', pod({ volumes: [{ name: 'v' }, { name: 'v' }] }), ['spec.volumes[1].name: occurs twice']],
    [
      'mounts',
      pod(
        {
          volumes: [{ name: 'v' }],
          initContainers: [{ name: 'i', image: 'i', volumeMounts: [{ name: 'no', mountPath: '/a' }] }],
        },
        {
          volumeMounts: [
            { name: 'v', mountPath: '/a' },
            { name: 'v', mountPath: '/a' },
          ],
        },
      ),
      [
        'spec.containers[0].volumeMounts[1].mountPath: must be unique',
        'spec.initContainers[0].volumeMounts[0].name: no volume has this name',
      ],
    ],
    [
      'modes of files',
      pod({
        volumes: [
          { name: 'a', secret: { defaultMode: 0o777, items: [{ mode: 0o1000 }] } },
          { name: 'b', configMap: { defaultMode: -1 } },
          { name: 'c', projected: { defaultMode: 512, sources: [{ secret: { items: [{ mode: 777 }] } }] } },
        ],
      }),
      [
        'volumes[0].secret.items[0].mode',
        'volumes[1].configMap.defaultMode',
        'volumes[2].projected.defaultMode',
        'volumes[2].projected.sources[0].secret.items[0].mode',
      ].map((place) => `spec.${place}: must be a number between 0 and 0777 (octal), both inclusive`),
    ],
    [
      'nothing',
      pod(
        { volumes: [{ name: 'v', secret: { defaultMode: 256 } }] },
        {
          ports: [{ name: 'http', containerPort: 80 }],
          livenessProbe: { httpGet: { port: 'http' }, periodSeconds: 3 },
          volumeMounts: [{ name: 'v', mountPath: '/a' }],
        },
      ),
      [],
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});
