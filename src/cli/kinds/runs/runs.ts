import type { StagedUpdateRun } from '../../../api/staged.ts';
import { shortList } from '../../../engine/kernel/short-list.ts';
import { isOver } from '../../../engine/update-run.ts';
import { titleOf } from '../../../repo/title-of.ts';
import { holdsOf } from '../../../report/holds-of.ts';
import { progressOf, runProgress, stagesDone } from '../../../report/waits/progress-text.ts';
import { waitsInRun, waitsOfRun } from '../../../report/waits/waits.ts';
import type { Status } from '../../status/open-status.ts';
import { withAnswers } from '../../status/refused-text.ts';
import { namesOfKind } from '../kind-words.ts';
import { ageOf, type Listing, listing, statusOf, timesOf } from '../listing.ts';
import { runPage } from './page.ts';
import { placementOf } from './placement-of.ts';

interface Shown {
  readonly run: StagedUpdateRun;
  readonly status: Status;
}

/** KubeFleet's columns (stageupdate_types.go), then its progress and what it waits for. */
export const runs: Listing = listing<Shown>({
  names: namesOfKind('runs'),
  clusterNames: ['clusterstagedupdateruns', 'clusterstagedupdaterun', 'csur'],
  namespacedNames: ['stagedupdateruns', 'stagedupdaterun', 'sur'],
  folders: ['runs'],
  conditionTypes: ['Initialized', 'Progressing', 'Succeeded'],
  items: (status) => [...status.record.runs.values()].map((run) => ({ run, status })),
  describe: ({ run }) => ({
    name: run.metadata.name,
    namespace: run.metadata.namespace,
    placement: titleOf({ name: run.spec.placementName, namespace: run.metadata.namespace }),
    value: run,
  }),
  page: ({ run }, status) => runPage(run, status),
  waits({ run }, status) {
    const placement = placementOf(run, status.record);
    return [...waitsOfRun(run, withAnswers(status)), ...(placement ? waitsInRun(run, placement, status) : [])];
  },
  note({ record, holds }) {
    const held = [...record.runs.values()].flatMap((run) =>
      progressOf(run.status?.conditions) === undefined
        ? holdsOf({ kind: run.kind, ...run.metadata }, holds).slice(0, 1)
        : [],
    );
    if (held.length === 0) return undefined;
    const reasons = [...new Set(held.map(({ reason }) => reason))];
    return `Not started: ${held.length} of ${record.runs.size}, held by ${shortList(reasons)} (gitfleet describe run NAME)`;
  },
  isOver: ({ run }) => isOver(run.status ?? {}),
  columns: [
    { heading: 'PLACEMENT', cell: ({ run }) => run.spec.placementName },
    {
      heading: 'RESOURCE-SNAPSHOT-INDEX',
      cell: ({ run: { spec, status } }) => status?.resourceSnapshotIndexUsed ?? spec.resourceSnapshotIndex,
    },
    { heading: 'POLICY-SNAPSHOT-INDEX', cell: ({ run }) => run.status?.policySnapshotIndexUsed },
    { heading: 'INITIALIZED', cell: ({ run }) => statusOf(run.status?.conditions, 'Initialized') },
    { heading: 'PROGRESSING', wide: true, cell: ({ run }) => statusOf(run.status?.conditions, 'Progressing') },
    { heading: 'SUCCEEDED', cell: ({ run }) => statusOf(run.status?.conditions, 'Succeeded') },
    { heading: 'AGE', cell: ({ run: { metadata, status } }, now) => ageOf(metadata, timesOf(status?.conditions), now) },
    { heading: 'STAGES', wide: true, cell: ({ run }) => run.status && stagesDone(run.status) },
    { heading: 'STATE', wide: true, cell: ({ run, status }) => runProgress({ ...run, ...run.metadata }, status.holds) },
  ],
});
