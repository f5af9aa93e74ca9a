import { describe } from 'vitest';
import { upgradeRun } from '../../support/cluster-upgrades.ts';
import type { VirtualDaemon } from '../../support/virtual-fleet.ts';
import { isHeld, isRefused, publishNothing, type Situation } from '../quiet.ts';
import { nodeFiles, nodeMemberSpec, workload } from './node-fleet.ts';

const json = (value: unknown): string => JSON.stringify(value);
const config = (spec: object) => ({
  'fleet.yaml': json({ apiVersion: 'gitfleet.dev/v1alpha1', kind: 'FleetConfig', spec }),
});
const pool = (disruption: object, template: object = {}) => ({
  disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }], ...disruption },
  template,
});

/** Two nodes, one of them empty, if nothing holds it. */
const situation = (
  {
    mode = 'execute',
    disruption = {},
    template,
    more = {},
  }: {
    readonly mode?: string;
    readonly disruption?: object;
    readonly template?: object;
    readonly more?: Readonly<Record<string, string>>;
  },
  rest: Pick<Situation, 'entered'> & Partial<Situation>,
): Situation => ({
  files: nodeFiles(mode, pool(disruption, template), more),
  members: [nodeMemberSpec([{ count: 2 }], [workload('web', 1, '6')])],
  ...rest,
});

const phases = (one: VirtualDaemon): string[] =>
  one.plan().nodes.flatMap(({ commands }) => commands.map(({ method, phase }) => `${method} ${phase}`));
const proposes = (one: VirtualDaemon): boolean => phases(one).some((text) => text.endsWith('Proposed'));
const none = { nodeDisruption: { budgets: [{ nodes: '0' }] } };

describe('planning nodes again publishes nothing', () => {
  publishNothing({
    'when there is nothing to do': situation(
      { disruption: { consolidateAfter: 'Never' } },
      { entered: (one) => phases(one).length === 0 && one.plan().nodes.length === 1 },
    ),
    'in mode plan': situation({ mode: 'plan' }, { entered: proposes }),
    'in mode delegate': situation({ mode: 'delegate' }, { entered: proposes }),
    'that a budget holds': situation(
      { disruption: { budgets: [{ nodes: '0' }] } },
      { entered: (one) => isHeld(one, 'NodeBudget') },
    ),
    'that a budget holds until its window ends': situation(
      { disruption: { budgets: [{ nodes: '0', schedule: '0 9 * * *', duration: '8h' }, { nodes: '100%' }] } },
      { entered: (one) => isHeld(one, 'NodeBudget') },
    ),
    'that a fleet budget holds': situation(
      { more: config(none) },
      { entered: (one) => isHeld(one, 'FleetNodeBudget') && proposes(one) },
    ),
    'that a freeze holds': situation(
      { more: config(none) },
      {
        enter: (fleet) =>
          void fleet.commit(config({ freeze: [{ name: 'always', schedule: '0 9 * * *', duration: '8h' }] })),
        entered: (one) => isHeld(one, 'Freeze') && proposes(one),
      },
    ),
    'that are not observed': situation(
      {},
      {
        settle: async (fleet) => fleet.fault('eu-1', { type: 'Forbidden', resources: ['poddisruptionbudgets.policy'] }),
        entered: (one) => isHeld(one, 'NodesNotObserved'),
      },
    ),
    'that are not observed while one is removed': situation(
      { disruption: { consolidateAfter: 'Never' }, template: { expireAfter: '1h' } },
      {
        settle: (fleet) => fleet.run(3_550),
        enter: (fleet) => void fleet.fault('eu-1', { type: 'Unreachable' }),
        entered: (one) => isHeld(one, 'NodesNotObserved'),
      },
    ),
    'whose drain a pod holds': {
      files: nodeFiles('execute', pool({ consolidateAfter: 'Never' }, { expireAfter: '1h' })),
      members: [
        nodeMemberSpec([{ count: 1 }], [workload('web', 1, '1', {}, { 'karpenter.sh/do-not-disrupt': 'true' })]),
      ],
      settle: (fleet) => fleet.run(3_700),
      entered: (one) => phases(one).includes('Expiration Removing'),
      // Nothing shows since when the drain goes on, so that a deadline counts from then.
      takeOvers: 1,
    },
    'of a cluster whose upgrade hangs': {
      files: nodeFiles('execute', pool({}), config(none)),
      members: [
        {
          ...nodeMemberSpec([{ count: 2 }], [workload('web', 1, '6')]),
          kubernetesVersion: '1.30.9',
          upgrades: { controlPlaneSeconds: 10_000, nodeSeconds: 5, outcome: 'Hangs' },
        },
      ],
      enter: (fleet) => void fleet.commit({ ...config({}), ...upgradeRun({}) }),
      entered: (one) => isHeld(one, 'ClusterUpgrading') && proposes(one),
    },
    'of a refused plan, in which nodes would go': situation(
      { more: config(none) },
      {
        enter: (fleet) => void fleet.commit({ 'resources/pool.yaml': undefined, ...config({}) }),
        entered: isRefused,
      },
    ),
    'of a refused plan, in mode plan': situation(
      { mode: 'plan' },
      {
        enter: (fleet) => void fleet.commit({ 'resources/pool.yaml': undefined }),
        entered: isRefused,
      },
    ),
    'whose record was lost': situation(
      { disruption: { budgets: [{ nodes: '0' }] } },
      {
        enter(fleet, one) {
          one.kill();
          fleet.repo.refs.delete('refs/heads/fleet-status');
          return fleet.start({ remote: true });
        },
        entered: (one) => isHeld(one, 'NodeBudget'),
      },
    ),
  });
});
