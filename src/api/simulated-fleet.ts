import { z } from 'zod';
import { objectMeta } from './meta.ts';
import { parseQuantity } from './quantity.ts';
import { wrongAndFix } from './schema-message.ts';

const seconds = z.number().min(0);
const quantity = z
  .union([z.string(), z.number().min(0)])
  .transform(String)
  .refine(
    (text) => parseQuantity(text) !== undefined,
    wrongAndFix('this is not a quantity', 'write for example 500m, 4 or 16Gi'),
  );

/** When a fault is active, for which requests, and how often. Seconds count from the start of the simulation, in its own time. */
const when = {
  fromSeconds: seconds.default(0),
  /** Absent: no end. */
  untilSeconds: seconds.optional(),
  /** Fraction of the matching requests that fail, 0 to 1. */
  probability: z.number().min(0).max(1).default(1),
  /** Absent: all of them. */
  verbs: z.array(z.enum(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'])).optional(),
  /** Plural, or plural with group as in `deployments.apps`; absent: all paths, also those without a resource. */
  resources: z.array(z.string()).optional(),
};

/** Verbs of faults that affect only some requests; with other verbs alone they would have no effect. */
const verbsOf: Readonly<Record<string, readonly string[]>> = {
  DenyAdmission: ['create', 'update', 'patch', 'delete'],
  SilentWatch: ['watch'],
  StaleRead: ['get', 'list'],
};

/** A fault between gitfleet and one simulated API server. A fault that could never be active is refused. */
export const simulatedFault = z
  .discriminatedUnion('type', [
    /** Connections are refused. */
    z.strictObject({ type: z.literal('Unreachable'), ...when }),
    /** Requests are accepted and never get a response. */
    z.strictObject({ type: z.literal('Hang'), ...when }),
    z.strictObject({ type: z.literal('Latency'), seconds, ...when }),
    /** The response comes in small pieces, spread over this time. */
    z.strictObject({ type: z.literal('SlowBody'), seconds, ...when }),
    /** 429 with a Retry-After header. */
    z.strictObject({
      type: z.literal('TooManyRequests'),
      retryAfterSeconds: z.number().int().min(0).default(1),
      ...when,
    }),
    z.strictObject({
      type: z.literal('ServerError'),
      status: z.number().int().min(500).max(599).default(500),
      ...when,
    }),
    z.strictObject({ type: z.literal('Unauthorized'), ...when }),
    z.strictObject({ type: z.literal('Forbidden'), ...when }),
    /** An admission webhook denies writes. */
    z.strictObject({ type: z.literal('DenyAdmission'), message: z.string().default('not allowed here'), ...when }),
    /** The connection breaks in the middle of the response; a watch breaks after half of its first event. */
    z.strictObject({ type: z.literal('Reset'), ...when }),
    /** Watches are accepted and stay silent, as behind a broken proxy. */
    z.strictObject({ type: z.literal('SilentWatch'), ...when }),
    /** Gets and lists return the state of this long ago, as from a lagging replica; watches are not affected. */
    z.strictObject({ type: z.literal('StaleRead'), seconds, ...when }),
  ])
  .superRefine(({ type, fromSeconds, untilSeconds, verbs }, context) => {
    const refuse = (field: string, wrong: string, fix: string) =>
      context.addIssue({ code: 'custom', path: [field], message: wrongAndFix(wrong, fix) });
    if (untilSeconds !== undefined && untilSeconds <= fromSeconds)
      refuse(
        'untilSeconds',
        `must be more than fromSeconds (${fromSeconds}): the fault would never be active`,
        'write a later one',
      );
    const own = verbsOf[type];
    if (own && verbs && !verbs.some((verb) => own.includes(verb)))
      refuse(
        'verbs',
        `must name one of ${own.join(', ')}: ${type} affects no other verbs`,
        'add one of them, or remove verbs',
      );
  });
export type SimulatedFault = z.output<typeof simulatedFault>;

const nodePool = z.strictObject({
  count: z.number().int().min(1).max(1000).default(1),
  /** Names of the nodes: `<prefix>-0`, `<prefix>-1`, … Absent: `node`, and `pool1` for the second pool. */
  prefix: z.string().optional(),
  /** Node image, as nodes report it; absent: it has no version. */
  image: z.string().optional(),
  instanceType: z.string().default('simulated'),
  capacityType: z.enum(['on-demand', 'spot', 'reserved']).default('on-demand'),
  /** Assigned to nodes in turn. */
  zones: z.array(z.string()).default([]),
  cpu: quantity.default('4'),
  memory: quantity.default('16Gi'),
  pods: z.number().int().min(0).default(110),
  labels: z.record(z.string(), z.string()).default({}),
  taints: z
    .array(
      z.strictObject({
        key: z.string(),
        value: z.string().optional(),
        effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
      }),
    )
    .default([]),
  /** Resources that other pods request on every node. */
  used: z.strictObject({ cpu: quantity.default('0'), memory: quantity.default('0') }).prefault({}),
});
export type NodePool = z.output<typeof nodePool>;

const readiness = z.partialRecord(
  z.enum([
    'Deployment',
    'StatefulSet',
    'DaemonSet',
    'Pod',
    'Job',
    'LoadBalancer',
    'PersistentVolumeClaim',
    'CustomResourceDefinition',
    'Termination',
  ]),
  seconds,
);

/** How the cluster is upgraded by `gitfleet.dev/upgrade-provider: simulated`. */
const simulatedUpgrades = z.strictObject({
  /** Until the control plane has its new version. */
  controlPlaneSeconds: seconds.default(10),
  /** Until a node is replaced; one after another. */
  nodeSeconds: seconds.default(5),
  /** Hangs: it is accepted, and nothing changes. */
  outcome: z.enum(['Succeeds', 'Fails', 'Hangs']).default('Succeeds'),
});
export type SimulatedUpgrades = z.output<typeof simulatedUpgrades>;

/** How nodes are launched by `gitfleet.dev/upgrade-provider: simulated`. */
const simulatedLaunches = z.strictObject({
  /** Until a node is there and ready. */
  seconds: seconds.default(5),
  /** Hangs: it is accepted, and no node comes. */
  outcome: z.enum(['Succeeds', 'Fails', 'Hangs']).default('Succeeds'),
});
export type SimulatedLaunches = z.output<typeof simulatedLaunches>;

/** A deprecated API that clients use, as the metrics of API servers name it. */
const requestedApi = z.strictObject({
  /** Absent: the core group. */
  group: z.string().optional(),
  version: z.string(),
  resource: z.string(),
  /** The minor that removes it: `1.32`. */
  removedRelease: z.string().regex(/^\d+\.\d+$/, wrongAndFix('must be a minor', 'write for example 1.32')),
});
export type SimulatedRequestedApi = z.output<typeof requestedApi>;

const common = {
  /** As in `/version`, without the leading v: `1.32.4`. */
  kubernetesVersion: z
    .string()
    .regex(/^\d+\.\d+\.\d+$/, wrongAndFix('must be a version', 'write for example 1.32.4'))
    .optional(),
  /** Seconds of simulated time until an object of a kind is ready; Termination: until a deleted pod is gone. */
  readySeconds: readiness.optional(),
  upgrades: simulatedUpgrades.optional(),
  launches: simulatedLaunches.optional(),
  requestedApis: z.array(requestedApi).optional(),
  /** Set on every node. */
  region: z.string().optional(),
  nodes: z.array(nodePool).optional(),
  /** How far the clock of the member is ahead of ours (negative: behind). */
  clockSkewSeconds: z.number().optional(),
  faults: z.array(simulatedFault).optional(),
  /** Objects that exist from the start, as if created with kubectl. */
  objects: z
    .array(z.looseObject({ apiVersion: z.string().min(1), kind: z.string().min(1), metadata: objectMeta }))
    .optional(),
};

/**
 * The simulated members of a demo, of tests and of `--members simulated`. Fields that a member lacks come from `defaults`.
 */
export const simulatedFleet = z.strictObject({
  apiVersion: z.literal('gitfleet.dev/v1alpha1'),
  kind: z.literal('SimulatedFleet'),
  metadata: objectMeta,
  spec: z.strictObject({
    defaults: z.strictObject(common).prefault({}),
    members: z.array(
      z.strictObject({
        /** Name of its MemberCluster. */
        name: z
          .string()
          .max(63)
          .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, wrongAndFix('must be a DNS label', 'write for example zone-1')),
        ...common,
      }),
    ),
  }),
});
export type SimulatedFleet = z.output<typeof simulatedFleet>;
export type SimulatedMemberSpec = SimulatedFleet['spec']['members'][number];
