import type { Condition } from '../../../api/meta.ts';
import type { UpdateRun } from '../../../api/upgrade-run.ts';
import { listUpTo } from '../../../engine/kernel/short-list.ts';
import { isOver } from '../../../engine/upgrade/load-run.ts';
import { upgradeProgress, upgradeTarget } from '../../../report/upgrades/progress.ts';
import type { Status } from '../../status/open-status.ts';
import { mostNamed } from '../../terminal/names.ts';
import { namesOfKind } from '../kind-words.ts';
import { ageOf, type Cell, type Listing, listing } from '../listing.ts';
import { upgradePage } from './page.ts';
import { firstWait, waitsOfUpgrade } from './waits.ts';

interface Upgrade {
  readonly run: UpdateRun;
  readonly waits: readonly string[];
}

const progress =
  (cell: (of: ReturnType<typeof upgradeProgress>) => Cell) =>
  ({ run }: Upgrade): Cell =>
    run.status && cell(upgradeProgress(run.status));

/** States that `wait` waits for, as conditions. */
const awaitedStates = ['Completed', 'Failed', 'Stopped', 'Skipped'] as const;

function conditionsOf({ status }: UpdateRun): Condition[] {
  const { state: reason = 'NotStarted', error } = status?.status ?? {};
  const message = error === undefined ? {} : { message: error.message };
  return awaitedStates.map((type) => ({ type, status: reason === type ? 'True' : 'False', reason, ...message }));
}

/** Cluster update runs: how far they are, and what they wait for. */
export const upgrades: Listing = listing<Upgrade>({
  names: [...namesOfKind('upgrades'), 'updateruns', 'updaterun'],
  folders: ['upgrades'],
  conditionTypes: awaitedStates,
  items: (status: Status) =>
    [...status.record.upgrades.values()].map((run) => ({ run, waits: waitsOfUpgrade(run, status) })),
  describe: ({ run }) => ({ name: run.metadata.name, value: run }),
  page: ({ run }, status, reader) => upgradePage(run, status, reader),
  waits: ({ waits }) => waits,
  conditions: ({ run }) => conditionsOf(run),
  isOver: ({ run }) => run.status !== undefined && isOver(run.status),
  columns: [
    { heading: 'TYPE', cell: ({ run }) => run.spec.managedClusterUpdate.upgrade.type },
    { heading: 'TARGET', cell: ({ run }) => upgradeTarget(run) },
    { heading: 'STATE', cell: ({ run }) => run.status?.status.state ?? 'NotStarted' },
    { heading: 'STAGE', cell: progress(({ stage }) => stage) },
    { heading: 'DONE', cell: progress(({ done, total }) => `${done}/${total}`) },
    { heading: 'FAILED', cell: progress(({ failed }) => failed) },
    { heading: 'IN-FLIGHT', wide: true, cell: progress(({ inFlight }) => listUpTo(inFlight, mostNamed)) },
    { heading: 'PENDING', wide: true, cell: progress(({ pending }) => pending.length) },
    { heading: 'NEXT', wide: true, cell: progress(({ next }) => next) },
    { heading: 'WAITS-FOR', cell: ({ run, waits }) => firstWait(run, waits) },
    { heading: 'AGE', cell: ({ run }, now) => ageOf(run.metadata, [run.status?.status.startTime], now) },
  ],
});
