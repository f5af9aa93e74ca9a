import { expect, it } from 'vitest';
import type { RolloutStrategy } from '../../src/api/placement.ts';
import type { Fleet } from '../../src/engine/input.ts';
import type { Published } from '../../src/git/status-branch.ts';
import type { Transport, TransportRequest } from '../../src/members/api-server/transport.ts';
import { foreignNote } from './safety.ts';
import { firstAmple, firstGated, firstWide, simulate } from './simulate.ts';
import type { Sabotage } from './world.ts';

/** Rules of ours, each broken at a port of the daemon: the checks would be worth nothing if they let these pass. */
const sabotages: readonly (readonly [rule: string, sabotage: Sabotage, complaint: RegExp, from: number])[] = [
  ['maxUnavailable is not read', { loaded: (fleet) => withBudget(fleet, '100%') }, /left \d+ available/, 3],
  [
    'plans are not recorded before they are acted on',
    {
      recorded: (status) => ({
        ...status,
        publish: async (_base, files): Promise<Published> => ({
          kind: 'published',
          tip: { commit: 'f'.repeat(40), files },
        }),
        tip: async () => 'f'.repeat(40),
      }),
    },
    /before it was recorded/,
    1,
  ],
  ['nobody is asked for approval', { loaded: withoutGates }, /before anybody approved it/, 11],
  [
    'what is not ours in a namespace is overlooked',
    { through: (transport) => (request) => transport({ ...request, path: onlyOurs(request.path) }) },
    /is not ours and was removed/,
    30,
  ],
  [
    'old images come back',
    {
      through: (transport) => (request) =>
        transport(
          request.method === 'PATCH' && request.body
            ? { ...request, body: request.body.replace(/app:[3-9]/, 'app:1') }
            : request,
        ),
    },
    /went back from version/,
    3,
  ],
  [
    'what another placement has is not seen',
    { through: (transport) => (request) => transport(hidingShared(request)) },
    /took on \w+ what app\d+ has/,
    firstWide + 19,
  ],
  ['what others annotate is taken off', { through: takingNotesOff }, /lost an annotation that is not ours/, 12],
  ['what changes is removed and made anew', { through: makingAnew }, /was removed on \w+, which was to keep it/, 2],
  ['a suspension is not read', { loaded: withoutNotes }, /moved on \w+ although it was suspended/, firstAmple + 1],
  [
    'what is only to be compared is applied',
    {
      loaded: (fleet) =>
        withStrategy(fleet, ({ applyStrategy }) => ({ applyStrategy: { ...applyStrategy, type: 'ClientSideApply' } })),
    },
    /was written to on \w+, where it is only to be compared/,
    firstAmple + 2,
  ],
  [
    'differences are always repaired',
    {
      loaded: (fleet) =>
        withStrategy(fleet, ({ applyStrategy }) => ({ applyStrategy: { ...applyStrategy, whenToApply: 'Always' } })),
    },
    /what a person made of .* did not stay/,
    firstAmple + 5,
  ],
  [
    'what is to be left behind is removed',
    { loaded: (fleet) => withStrategy(fleet, () => ({ deleteStrategy: undefined })) },
    /was removed on \w+, where it was to be left/,
    firstAmple + 90,
  ],
  [
    'evictions ask no budget',
    { loaded: (fleet) => ({ ...fleet, budgets: [] }) },
    /was evicted from [\w, ]+, which left \d+, not \d+, available/,
    firstAmple + 5,
  ],
  ['rollouts ask no budget', { loaded: onlyForEvictions }, /where its budget asks for \d+/, firstAmple + 10],
  [
    'overrides are not read',
    { loaded: (fleet) => ({ ...fleet, overrides: [] }) },
    /has override undefined, not/,
    firstAmple,
  ],
  [
    'no status is reported back',
    { loaded: (fleet) => withStrategy(fleet, () => ({ reportBackStrategy: undefined })) },
    /the status of .* is told as undefined/,
    firstAmple,
  ],
  ['a kind that came late is not applied', { through: withoutGadgets }, /the gadget of .* is undefined/, firstWide],
  ['a stop is not read', { loaded: neverStopped }, /started .* although it was stopped/, firstGated + 5],
  [
    'a freeze is not read',
    { loaded: (fleet) => ({ ...fleet, config: undefined }) },
    /the fleet was frozen/,
    firstGated + 2,
  ],
  ['nobody is asked before a stage', { loaded: askingAfterOnly }, /came to prod unasked/, firstGated + 1],
  ['a ResourcePlacement is not read', { loaded: withoutTeam }, /the team has version undefined/, firstGated],
  [
    'nobody takes what another gives up',
    { through: leavingShared },
    /asked for as the last is not its own/,
    firstWide + 1,
  ],
  ['nothing is removed', { through: sparing }, /is still (there|on)/, 4],
  ['a fleet at rest is written to', { through: markingBeats }, /a fleet at rest got \d+ writes/, 1],
];

it.each(sabotages)(
  'it is seen when %s',
  async (_rule, sabotage, complaint, from) => {
    const complaints: string[] = [];
    for (let seed = from; seed < from + 60 && !complaints.some((text) => complaint.test(text)); seed++)
      complaints.push(...(await simulate(from < firstWide ? `broken ${seed}` : `${seed}`, sabotage)).broken);
    expect(complaints.filter((text) => complaint.test(text))).not.toEqual([]);
  },
  120_000,
);

const withBudget = (fleet: Fleet, maxUnavailable: string): Fleet => ({
  ...fleet,
  placements: fleet.placements.map((placement) =>
    placement.spec.strategy.type === 'RollingUpdate'
      ? {
          ...placement,
          spec: {
            ...placement.spec,
            strategy: {
              ...placement.spec.strategy,
              rollingUpdate: { maxSurge: 1, unavailablePeriodSeconds: 0, maxUnavailable },
            },
          },
        }
      : placement,
  ),
});

type Change = Partial<Pick<RolloutStrategy, 'applyStrategy' | 'deleteStrategy' | 'reportBackStrategy'>>;

function withStrategy(fleet: Fleet, change: (strategy: RolloutStrategy) => Change): Fleet {
  return {
    ...fleet,
    placements: fleet.placements.map((placement) => {
      const { strategy } = placement.spec;
      return { ...placement, spec: { ...placement.spec, strategy: { ...strategy, ...change(strategy) } } };
    }),
  };
}

function withoutNotes(fleet: Fleet): Fleet {
  const placements = fleet.placements.map((it) => ({ ...it, metadata: { ...it.metadata, annotations: {} } }));
  return { ...fleet, placements };
}

function onlyForEvictions(fleet: Fleet): Fleet {
  const budgets = fleet.budgets.map((it) => ({ ...it, metadata: { ...it.metadata, annotations: {} } }));
  return { ...fleet, budgets };
}

function withoutGates(fleet: Fleet): Fleet {
  return {
    ...fleet,
    strategies: fleet.strategies.map((strategy) => ({
      ...strategy,
      spec: { ...strategy.spec, stages: strategy.spec.stages.map((stage) => ({ ...stage, afterStageTasks: [] })) },
    })),
  };
}

function neverStopped(fleet: Fleet): Fleet {
  return {
    ...fleet,
    runs: fleet.runs.map((run) => ({ ...run, spec: { ...run.spec, state: 'Run' as const } })),
  };
}

function askingAfterOnly(fleet: Fleet): Fleet {
  return {
    ...fleet,
    strategies: fleet.strategies.map((strategy) => ({
      ...strategy,
      spec: { ...strategy.spec, stages: strategy.spec.stages.map((stage) => ({ ...stage, beforeStageTasks: [] })) },
    })),
  };
}

function withoutTeam(fleet: Fleet): Fleet {
  return {
    ...fleet,
    placements: fleet.placements.filter(({ kind }) => kind !== 'ResourcePlacement'),
  };
}

/** Whatever is sent to a Deployment, the note of others on it goes. */
function takingNotesOff(transport: Transport): Transport {
  return async (request) => {
    const answer = await transport(request);
    if (request.method === 'PATCH' && isDeployment(request))
      await transport({
        ...request,
        path: pathOf(request),
        headers: { ...request.headers, 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ metadata: { annotations: { [foreignNote]: null } } }),
      });
    return answer;
  };
}

/** A change removes what is there first. */
function makingAnew(transport: Transport): Transport {
  return async (request) => {
    if (request.method === 'PATCH' && isDeployment(request))
      await transport({ ...request, method: 'DELETE', path: pathOf(request), body: undefined });
    return transport(request);
  };
}

/** What is to be removed is only looked at. */
function sparing(transport: Transport): Transport {
  return (request) => transport(request.method === 'DELETE' ? { ...request, method: 'GET', body: undefined } : request);
}

/** What is sent to a gadget is looked at only. */
function withoutGadgets(transport: Transport): Transport {
  return (request) =>
    transport(
      request.method === 'PATCH' && request.path.includes('/gadgets/')
        ? { ...request, method: 'GET', path: '/version', body: undefined }
        : request,
    );
}

/** The ClusterRole that several ask for never changes. */
function leavingShared(transport: Transport): Transport {
  return (request) =>
    transport(
      request.method === 'PATCH' && request.path.includes('/clusterroles/shared')
        ? { ...request, path: `${request.path}&dryRun=All` }
        : request,
    );
}

/** Whoever looks whether a member lives leaves a mark there. */
function markingBeats(transport: Transport): Transport {
  return async (request) => {
    const answer = await transport(request);
    if (request.urgent && !/[?&]watch=/.test(request.path))
      await transport({
        ...request,
        method: 'PATCH',
        path: '/api/v1/namespaces/default',
        headers: { ...request.headers, 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ metadata: { annotations: { beat: 'yes' } } }),
      });
    return answer;
  };
}

const isDeployment = (request: TransportRequest): boolean => pathOf(request).endsWith('/deployments/web');
const pathOf = ({ path }: TransportRequest): string => path.replace(/\?.*/, '');

/** As if there were no ClusterRole of ours, or of anybody, also where it is made only as long as there is none. */
function hidingShared(request: TransportRequest): TransportRequest {
  const { method, path, body } = request;
  if (method === 'PATCH' && path.includes('clusterroles/shared'))
    return { ...request, body: body?.replace(/"resourceVersion":"\d+"/, '"resourceVersion":""') };
  if (method !== 'GET') return request;
  const hidden = path
    .replace(/(clusterroles\?.*labelSelector=)[^&]*/, '$1nobody')
    .replace('clusterroles/shared', 'clusterroles/nobody');
  return { ...request, path: hidden };
}

/** Lists of a whole namespace show only what carries our label. */
const onlyOurs = (path: string): string =>
  /namespaces\/app\d+\/\w+\?(?!.*labelSelector)/.test(path) ? `${path}&labelSelector=gitfleet.dev%2Fplacement` : path;
