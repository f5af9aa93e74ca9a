import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { UpgradeGroup, UpgradeStage } from '../../api/upgrade-strategy.ts';
import { listUpTo, shortList } from '../kernel/short-list.ts';
import type { ProposedRun } from '../plan-document.ts';
import { advanceUpgrades } from './advance-upgrades.ts';
import { strategyOf } from './strategy.ts';
import { allMembers } from './tree.ts';
import type { UpgradesInput } from './upgrades-input.ts';

/** Why a run would be over at once; undefined = it would not. Gates and waits of its strategy do not matter. */
export function whyAllSkipped(proposed: ProposedRun, of: UpgradesInput): string | undefined {
  const run: UpdateRun = { ...proposed, spec: { ...defaults, ...proposed.spec } };
  const stages = strategyOf(run, of.strategies)?.stages.map(ungated);
  if (stages === undefined) return undefined;
  const { updateStrategyId: _, ...spec } = run.spec;
  const alone = {
    ...of,
    runs: [{ ...run, spec: { ...spec, strategy: { stages } } }],
    removed: [],
    recorded: new Map(),
  };
  const status = advanceUpgrades(alone)[0]?.step.status;
  if (status?.status.state !== 'Skipped') return undefined;
  const members = Map.groupBy(allMembers(status), (member) => member.status.error?.message ?? '');
  const causes = [...members].map(([why, of]) => `${shortList(of.map(({ name }) => name))}: ${why}`);
  return causes.length === 0 ? status.status.error?.message : listUpTo(causes, mostCauses, '; ');
}

/** Of an UpdateRun, as readers of its file fill them in: the engine parses nothing. */
const defaults = {
  state: 'Started',
  attempt: 1,
  skip: [],
  onUnavailable: 'Pending',
  onBlocked: 'Pending',
  progressDeadline: '4h0m0s',
  reserveUpcomingWindows: false,
  chainMinors: false,
} as const satisfies Partial<UpdateRun['spec']>;

/** Causes that one text names. */
const mostCauses = 3;

const ungated = ({ afterStageWaitInSeconds: _, groups, ...stage }: UpgradeStage): UpgradeStage => ({
  ...withoutGates(stage),
  ...(groups && { groups: groups.map(withoutGates) }),
});

const withoutGates = ({ beforeGates: _, afterGates: __, ...scope }: UpgradeGroup): UpgradeGroup => scope;
