import { expect, it } from 'vitest';
import type { Fleet } from '../../src/engine/input.ts';
import type { Published } from '../../src/git/status-branch.ts';
import type { Transport, TransportRequest } from '../../src/members/api-server/transport.ts';
import { foreignNote } from './safety.ts';
import { firstWide, simulate } from './simulate.ts';
import type { Sabotage } from './world.ts';

/** Rules of ours, each broken at a port of the daemon: the checks would be worth nothing if they let these pass. */
const sabotages: readonly (readonly [rule: string, sabotage: Sabotage, complaint: RegExp, from: number])[] = [
  ['maxUnavailable is not read', { loaded: (fleet) => withBudget(fleet, '100%') }, /left \d+ available/, 1],
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
    1,
  ],
  [
    'what another placement has is not seen',
    { through: (transport) => (request) => transport(hidingShared(request)) },
    /took on \w+ what app\d+ has/,
    firstWide + 19,
  ],
  ['what others annotate is taken off', { through: takingNotesOff }, /lost an annotation that is not ours/, 12],
  ['what changes is removed and made anew', { through: makingAnew }, /was removed on \w+, which was to keep it/, 1],
  ['nothing is removed', { through: sparing }, /is still (there|on)/, 1],
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

function withoutGates(fleet: Fleet): Fleet {
  return {
    ...fleet,
    strategies: fleet.strategies.map((strategy) => ({
      ...strategy,
      spec: { ...strategy.spec, stages: strategy.spec.stages.map((stage) => ({ ...stage, afterStageTasks: [] })) },
    })),
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
