import { afterEach, describe, expect, it } from 'vitest';
import { allBuiltInKinds, builtInGroups } from '../../../src/engine/selection/scope.ts';
import { openDirectory } from '../../../src/repo/directory-tree.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { builtInShape } from '../../../src/repo/schemas/built-in-shapes.ts';
import type { Shape } from '../../../src/repo/schemas/shape.ts';
import { folder, removeFolders } from '../../support/folders.ts';

afterEach(removeFolders);

/** `line:column severity path, fix` of every problem of one file of resources. */
async function found(text: string, incomplete = false): Promise<string[]> {
  const dir = folder({ 'resources/all.yaml': text });
  const { problems } = await loadFleet(await openDirectory(dir), undefined, { incomplete });
  return problems.map(
    ({ severity, line, column, message, fix }) =>
      `${line}:${column} ${severity} ${message.replace(/^\w+ (\S+\/)?[\w.]+: /, '')}; ${fix}`,
  );
}

const object = (apiVersion: string, kind: string, spec: string) =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: web, namespace: shop}\nspec:\n${spec}`;
const deployment = (spec: string) => object('apps/v1', 'Deployment', spec);
const container = (field: string) => deployment(`  template: {spec: {containers: [{name: web, ${field}}]}}\n`);

describe('a built-in kind', () => {
  it.each([
    ['replicas: two', ['5:3 error spec.replicas must be an integer; write a whole number']],
    ['replicas: "2"', ['5:3 error spec.replicas must be an integer; write it without quotes']],
    ['replica: 2', ['5:3 error there is no field spec.replica; did you mean replicas?']],
    ['selecter: {}', ['5:3 error there is no field spec.selecter; did you mean selector?']],
    ['paused: "true"', ['5:3 error spec.paused must be true or false; write it without quotes']],
    ['template: [a]', ['5:3 error spec.template must be an object; write its fields: metadata, spec']],
    [
      'template: {containers: []}',
      ['5:14 error there is no field spec.template.containers; did you mean spec.containers?'],
    ],
    // What a newer version may have, and what is not applied.
    ['fancy: 1', ['5:3 warning there is no field spec.fancy; undefined']],
    ['{replica: 2, replicas: 1}', ['5:4 warning there is no field spec.replica; did you mean replicas?']],
    ['{}\nstatus: {replica: 2}', ['6:10 warning there is no field status.replica; did you mean replicas?']],
    ['replicas: null', []],
    ['replicas: -1', ['5:3 error spec.replicas must be at least 0; write at least 0']],
    ['replicas: 0', []],
    [
      'strategy: {type: Rolling}',
      ['5:14 error spec.strategy.type must be one of Recreate, RollingUpdate; write one of them'],
    ],
  ])('%s', async (spec, expected) => {
    expect(await found(deployment(`  ${spec}\n`))).toEqual(expected);
  });

  const at = 'spec.template.spec.containers[0]';
  it.each([
    ['image: 5', [`error ${at}.image must be a string; write it in quotes`]],
    ['env: [{name: A, value: 5}]', [`error ${at}.env[0].value must be a string; write it in quotes`]],
    ['ports: {containerPort: 80}', [`error ${at}.ports must be a list; write a list: each item begins with -`]],
    ['resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: " 500m "}}', []],
    [
      'resources: {limits: {cpu: Ei}}',
      [`error ${at}.resources.limits.cpu must be a quantity; write for example 500m, 2 or 1Gi`],
    ],
    [
      'ports: [{containerPort: 0, protocol: tcp}]',
      [
        `error ${at}.ports[0].containerPort must be at least 1 and at most 65535; write at least 1 and at most 65535`,
        `error ${at}.ports[0].protocol must be one of TCP, UDP, SCTP; did you mean TCP?`,
      ],
    ],
    ['imagePullPolicy: ""', []],
    ['livenessProbe: {httpGet: {port: 80}}, readinessProbe: {httpGet: {port: http}}', []],
  ])('its containers: %s', async (field, expected) => {
    expect((await found(container(field))).map((line) => line.replace(/^\S+ /, ''))).toEqual(expected);
  });

  it.each([
    ['ResourceQuota', 'hard: {cpu: Ei}', 'spec.hard.cpu'],
    ['LimitRange', 'limits: [{type: Container, max: {memory: 2 GB}}]', 'spec.limits[0].max.memory'],
    ['PersistentVolumeClaim', 'resources: {requests: {storage: -E-45}}', 'spec.resources.requests.storage'],
  ])('%s with a quantity that servers cannot read: %s', async (kind, spec, path) => {
    const [text] = await found(object('v1', kind, `  {${spec}}\n`));
    expect(text).toMatch(new RegExp(`^5:\\d+ error ${path.replace(/[[\]]/g, '\\$&')} must be a quantity;`));
  });

  it.each([
    [
      'apps/v1',
      'Deployment',
      'template: {spec: {containers: [{name: a, image: a}]}}',
      ['4:1 warning spec.selector is missing: API servers refuse the object; add selector'],
    ],
    [
      'apps/v1',
      'DaemonSet',
      'selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{image: a}]}}',
      ['5:96 warning spec.template.spec.containers[0].name is missing: API servers refuse the object; add name'],
    ],
    [
      'apps/v1',
      'Deployment',
      'selector: {matchLabels: {app: web, tier: a}}, template: {metadata: {labels: {app: wbe, tier: a}}, spec: {containers: [{name: a, image: a}]}}',
      [
        '5:29 warning spec.template.metadata.labels lacks app: web, which the selector requires: API servers refuse the object; use equal labels in both',
      ],
    ],
    [
      'apps/v1',
      'ReplicaSet',
      'selector: {matchLabels: {app: web}}, template: {spec: {containers: [{name: a, image: a}]}}',
      [
        '5:29 warning spec.template.metadata.labels lacks app: web, which the selector requires: API servers refuse the object; use equal labels in both',
      ],
    ],
    ...[
      [
        'do-not-disrupted: "true"',
        '5:40 warning nothing reads karpenter.sh/do-not-disrupted of a pod; write karpenter.sh/do-not-disrupt',
      ],
      [
        'do-not-disrupt: "5d"',
        '5:40 warning "5d" protects no pod; write "true", or a positive duration from the start of the pod such as 1h30m',
      ],
      ['do-not-disrupt: 1h30m'],
      ['do-not-disrupt: "false"'],
    ].map(([annotation, ...expected]): [string, string, string, string[]] => [
      'batch/v1',
      'Job',
      `template: {metadata: {annotations: {karpenter.sh/${annotation}}}, spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}`,
      expected,
    ]),
    [
      'v1',
      'Service',
      'ports: [{targetPort: 80}]',
      ['5:12 warning spec.ports[0].port is missing: API servers refuse the object; add port'],
    ],
    [
      'networking.k8s.io/v1',
      'Ingress',
      'rules: [{http: {paths: [{backend: {resource: {kind: a, name: a}}}]}}]',
      ['5:28 warning spec.rules[0].http.paths[0].pathType is missing: API servers refuse the object; add pathType'],
    ],
    [
      'apps/v1',
      'StatefulSet',
      'selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}, volumeClaimTemplates: [{spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1G}}}, status: {conditions: [{}]}}]',
      [],
    ],
    [
      'apps/v1',
      'Deployment',
      'selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}}\nstatus: {conditions: [{type: Available}]',
      [],
    ],
    [
      'v1',
      'Pod',
      'containers: [{name: a, image: a, livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: a}]}}}]',
      [],
    ],
  ])('what servers refuse without: %s %s {%s}', async (version, kind, spec, expected) => {
    const text = object(version, kind, `  {${spec}}\n`);
    expect([await found(text), await found(text, true)]).toEqual([[], expected]);
  });

  const shop = '{name: web, namespace: shop}';
  const rights = 'rbac.authorization.k8s.io/v1';
  const role = 'roleRef: {kind: Role, name: a}';
  const pods = (spec: string) => `spec: {template: {spec: {containers: [{name: a, image: a}], ${spec}}}}`;
  const one = (fields: string) => `spec: {containers: [{name: a, image: a, ${fields}}]}`;
  const job = (template: string) => `spec: {schedule: "* * * * *", jobTemplate: {${template}}}`;
  const of = (values: string) => `must be one of ${values}`;
  const refused = (field: string, why: string) => `warning ${field}: API servers refuse the object: ${why}`;
  const metric = 'ContainerResource, External, Object, Pods, Resource';
  it.each([
    [
      'apps/v1 StatefulSet',
      'spec: {podManagementPolicy: parallel}',
      [refused('spec.podManagementPolicy', of('OrderedReady, Parallel'))],
    ],
    [
      'apps/v1 StatefulSet',
      'spec: {updateStrategy: {type: Recreate}}',
      [refused('spec.updateStrategy.type', of('RollingUpdate, OnDelete'))],
    ],
    ['apps/v1 StatefulSet', 'spec: {podManagementPolicy: Parallel, updateStrategy: {type: OnDelete}}', []],
    [
      'batch/v1 CronJob',
      job(pods('restartPolicy: Never')).replace('job', 'concurrencyPolicy: Never, job'),
      [`error spec.concurrencyPolicy ${of('Allow, Forbid, Replace')}`],
    ],
    [
      'batch/v1 CronJob',
      job(pods('restartPolicy: Always')),
      [`error spec.jobTemplate.spec.template.spec.restartPolicy ${of('OnFailure, Never')}`],
    ],
    ['batch/v1 CronJob', job(pods('restartPolicy: Never')), []],
    ['apps/v1 Deployment', pods('restartPolicy: Never'), [`error spec.template.spec.restartPolicy ${of('Always')}`]],
    [
      'apps/v1 Deployment',
      pods('restartPolicy: Always, dnsPolicy: Default, tolerations: [{operator: Exists}, {key: a, effect: ""}]'),
      [],
    ],
    [
      'apps/v1 Deployment',
      pods('tolerations: [{key: a, effect: NoSched}]'),
      [`error spec.template.spec.tolerations[0].effect ${of('NoSchedule, PreferNoSchedule, NoExecute')}`],
    ],
    [
      'apps/v1 Deployment',
      pods('tolerations: [{operator: Exist}]'),
      [refused('spec.template.spec.tolerations[0].operator', of('Exists, Equal, Lt, Gt'))],
    ],
    [
      'apps/v1 Deployment',
      pods('volumes: [{name: a, emptyDir: {}, hostPath: {path: /}}, {name: b}]'),
      [refused('spec.template.spec.volumes[0].hostPath', 'may not specify more than 1 volume type')],
    ],
    [
      'v1 Pod',
      one('resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 500m, memory: 1024Mi}}'),
      [refused('spec.containers[0].resources.requests', 'must be less than or equal to cpu limit of 500m')],
    ],
    [
      'v1 Pod',
      one('ports: [{containerPort: 1, name: a-name-of-16-let}, {containerPort: 2, name: a-name-of-15-le}]'),
      [
        refused(
          'spec.containers[0].ports[0].name',
          "must be at most 15 lower case letters, digits and '-', with at least one letter",
        ),
      ],
    ],
    [
      'v1 Pod',
      'spec: {containers: [{name: A, image: a}]}',
      [
        refused(
          'spec.containers[0].name',
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'",
        ),
      ],
    ],
    [
      'v1 Service',
      'spec: {type: NodePort, sessionAffinity: clientIP, ports: [{port: 1}]}',
      [`error spec.sessionAffinity ${of('ClientIP, None')}`],
    ],
    [
      'v1 Service',
      'spec: {ports: [{port: 1, name: a}, {port: 2}]}',
      ['warning spec.ports[1].name is missing: API servers refuse the object'],
    ],
    [
      'v1 PersistentVolumeClaim',
      'spec: {accessModes: [ReadWriteOnce], volumeMode: block, resources: {requests: {storage: 1G}}}',
      [`error spec.volumeMode ${of('Filesystem, Block')}`],
    ],
    [
      'networking.k8s.io/v1 Ingress',
      'spec: {rules: [{http: {paths: [{path: a, pathType: Prefix, backend: {resource: {kind: a, name: a}}}, {pathType: ImplementationSpecific, backend: {resource: {kind: a, name: a}}}]}}]}',
      [refused('spec.rules[0].http.paths[0].path', 'must be an absolute path')],
    ],
    [
      'networking.k8s.io/v1 NetworkPolicy',
      'spec: {podSelector: {}, policyTypes: [ingress, Egress]}',
      [`error spec.policyTypes[0] ${of('Ingress, Egress')}`],
    ],
    [
      'policy/v1 PodDisruptionBudget',
      'spec: {minAvailable: 1, maxUnavailable: 1}',
      [refused('spec', 'minAvailable and maxUnavailable cannot be both set')],
    ],
    ['policy/v1 PodDisruptionBudget', 'spec: {minAvailable: 1, maxUnavailable: null}', []],
    [
      'autoscaling/v2 HorizontalPodAutoscaler',
      'spec: {minReplicas: 3, maxReplicas: 2, scaleTargetRef: {kind: a, name: a}}',
      [refused('spec.maxReplicas', 'must be greater than or equal to `minReplicas`')],
    ],
    [
      'autoscaling/v2 HorizontalPodAutoscaler',
      'spec: {metrics: [{type: cpu}], maxReplicas: 2, scaleTargetRef: {kind: a, name: a}}',
      [refused('spec.metrics[0].type', of(metric))],
    ],
    [
      `${rights} RoleBinding`,
      `subjects: [{kind: Users, name: a}]\n${role}`,
      [`error subjects[0].kind ${of('ServiceAccount, User, Group')}`],
    ],
    [`${rights} RoleBinding`, role, []],
    [`${rights} RoleBinding`, role.replace('{', '{apiGroup: "", '), []],
  ])('what servers refuse: %s %s', async (type, fields, expected) => {
    const [version, kind] = type.split(' ');
    const text = `apiVersion: ${version}\nkind: ${kind}\nmetadata: ${shop}\n${fields}\n`;
    const lines = (await found(text, true)).map((line) => line.replace(/^\S+ |;.*/g, ''));
    const others = /(selector|template|containers) is missing: API servers refuse the object$/;
    expect([await found(text), lines.filter((line) => !others.test(line))]).toEqual([[], expected]);
  });

  it.each([
    [
      'storage.k8s.io/v1 StorageClass S',
      'provisioner: a',
      ['error API servers refuse this name: it is no DNS subdomain'],
    ],
    [
      'storage.k8s.io/v1 StorageClass s',
      'provisioner: a\nreclaimPolicy: Keep',
      [`error reclaimPolicy ${of('Delete, Retain')}`],
    ],
    ['v1 Service with.dot', 'spec: {ports: [{port: 1}]}', ['error API servers refuse this name: it is no DNS label']],
    [
      `batch/v1 CronJob ${'a'.repeat(53)}`,
      job(pods('restartPolicy: Never')),
      ['error API servers refuse this name: must be no more than 52 characters'],
    ],
    [`${rights} ClusterRole system:A`, 'rules: []', []],
    ['example.com/v1 Widget w', 'spec: {type: a}', []],
    [
      'apiextensions.k8s.io/v1 CustomResourceDefinition foo.example.com',
      'spec: {group: example.com, scope: cluster, names: {plural: foos, kind: Foo}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}',
      [
        'error API servers refuse this name: must be spec.names.plural+"."+spec.group',
        `error spec.scope ${of('Cluster, Namespaced')}`,
      ],
    ],
  ])('whose name or values servers refuse: %s %s', async (type, fields, expected) => {
    const [version, kind, name] = type.split(' ');
    const where = kind === 'Service' || kind === 'CronJob' ? ', namespace: shop' : '';
    const text = `apiVersion: ${version}\nkind: ${kind}\nmetadata: {name: "${name}"${where}}\n${fields}\n`;
    const lines = (await found(text, true)).map((line) => line.replace(/^\S+ |;.*/g, ''));
    const others = /spec.selector is missing/;
    expect([
      (await found(text)).filter((line) => line.includes('error')),
      lines.filter((line) => !others.test(line)),
    ]).toEqual([[], expected]);
  });

  it('with two variables of one name is refused by server-side apply', async () => {
    const text = object('v1', 'Pod', '  containers: [{name: a, image: a, env: [{name: A}, {name: A}]}]\n');
    const place = 'spec.containers[0].env[1]';
    const why = `${place}: API servers refuse the object: server-side apply accepts one item with name A`;
    expect(await found(text, true)).toEqual([`5:53 warning ${why}; keep one of them`]);
  });

  it('of a version or a group that Kubernetes does not serve is left alone', async () => {
    for (const version of ['example.com/v1', 'apps/v9'])
      expect((await found(object(version, 'Deployment', '  replicas: two\n'))).join()).not.toContain('replicas');
  });

  it.each([
    ['rbac.authorization.k8s.io/v1', 'RoleBinding', 'subjects: [{kind: User, nmae: a}]', 'subjects[0].nmae'],
    [
      'admissionregistration.k8s.io/v1',
      'ValidatingWebhookConfiguration',
      'webhooks: [{clientConfig: {urll: a}}]',
      'webhooks[0].clientConfig.urll',
    ],
  ])('whose models have their group in their names: %s %s', async (version, kind, fields, path) => {
    const where = kind === 'RoleBinding' ? ', namespace: shop' : '';
    const text = `apiVersion: ${version}\nkind: ${kind}\nmetadata: {name: web${where}}\n${fields}\n`;
    expect((await found(text)).join()).toContain(`there is no field ${path}`);
  });

  it('inside an envelope', async () => {
    const [text] = await found(`apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourceEnvelope
metadata: {name: all, namespace: shop}
data:
  web.yaml: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: two}}
`);
    expect(text).toMatch(/^5:\d+ error spec.replicas must be an integer/);
  });
});

it('every field of the built-in kinds has a type, apart from those that hold any JSON', () => {
  const untyped = new Set<string>();
  const seen = new Set<Shape>();
  const walk = (shape: Shape, field: string): void => {
    if (shape.is === 'any') untyped.add(field);
    if (shape.is === 'list') walk(shape.items, field);
    if (shape.is === 'map') walk(shape.values, field);
    if (shape.is !== 'object' || seen.has(shape)) return;
    seen.add(shape);
    for (const [name, of] of shape.fields) walk(of, name);
  };
  for (const kind of allBuiltInKinds())
    for (const group of builtInGroups(kind))
      for (const version of ['v1', 'v2', 'v1alpha1', 'v1alpha2', 'v1beta1', 'v1beta2']) {
        const shape = builtInShape(group, version, kind);
        if (shape) walk(shape, kind);
      }
  expect(seen.size).toBeGreaterThan(400);
  const json = ['additionalItems', 'additionalProperties', 'default', 'dependencies', 'enum', 'example', 'items'];
  const others = ['basic', 'data', 'fieldsV1', 'status'];
  expect(untyped).toEqual(new Set([...json, ...others]));
});

describe('a kind of the repo itself', () => {
  const definition = (spec: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: ${spec}}}}
---
`;
  const widget = (spec: string) => object('example.com/v1', 'Widget', spec);
  it.each([
    ['{type: object, properties: {size: {type: integer}}}', 'size: big', ['spec.size must be an integer']],
    [
      '{type: object, properties: {color: {type: string, enum: [red, green]}}}',
      'color: gren',
      ['spec.color must be one of red, green'],
    ],
    [
      '{type: object, properties: {size: {type: number, minimum: 0, exclusiveMinimum: true, maximum: 1}}}',
      'size: 0',
      ['spec.size must be more than 0 and at most 1'],
    ],
    ['{type: object, properties: {size: {type: number, minimum: 0, maximum: 1}}}', 'size: 0', []],
    [
      '{type: object, properties: {name: {type: string, minLength: 2, maxLength: 3}}}',
      'name: abcd',
      ['spec.name must have at most 3 characters'],
    ],
    [
      '{type: object, properties: {list: {type: array, minItems: 1, items: {type: string}}}}',
      'list: []',
      ['spec.list must have at least 1 items'],
    ],
    // A pattern of a pull request is not tried here.
    [
      '{type: object, properties: {name: {type: string, pattern: "^(a+)+$"}}}',
      'name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab',
      [],
    ],
    ['{type: object, properties: {size: {type: integer}}}', 'siize: 1', ['there is no field spec.siize']],
    ['{type: object, x-kubernetes-preserve-unknown-fields: true}', 'siize: 1', []],
    ['{type: object, additionalProperties: {type: string}}', 'a: 1', ['spec.a must be a string']],
    [
      '{type: object, required: [size], properties: {size: {type: integer}}}',
      '{}',
      ['spec.size is missing: API servers refuse the object'],
    ],
    ['{type: object, required: [size], properties: {size: {type: integer, default: 1}}}', '{}', []],
    ['{type: object, properties: {port: {x-kubernetes-int-or-string: true}}}', 'port: http', []],
    ...[
      [
        '[{name: a}, {name: b}, {name: a}]',
        'spec.list[2]: API servers refuse the object: server-side apply accepts one item with name a',
      ],
      ['[{name: a}, {name: b}]'],
    ].map(([items, ...expected]): [string, string, string[]] => [
      '{type: object, properties: {list: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, properties: {name: {type: string}}}}}}',
      `list: ${items}`,
      expected,
    ]),
  ])('%s with %s', async (schema, spec, expected) => {
    const lines = await found(definition(schema) + widget(`  ${spec}\n`), true);
    expect(lines.map((line) => line.replace(/^\S+ \w+ |;.*/g, ''))).toEqual(expected);
  });
});

it('an object with a wrong type or a misspelt field is refused, one with a field that may be new is not', async () => {
  const load = async (spec: string) =>
    loadFleet(await openDirectory(folder({ 'resources/web.yaml': deployment(spec) })));
  expect((await load('  replicas: two\n')).resources).toEqual([]);
  expect((await load('  replica: 2\n')).resources).toEqual([]);
  expect((await load('  fancy: 2\n')).resources).toHaveLength(1);
});
