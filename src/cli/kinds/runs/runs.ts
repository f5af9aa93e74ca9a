import type { StagedUpdateRun } from '../../../api/staged.ts';
import { isOver } from '../../../engine/update-run.ts';
import { titleOf } from '../../../repo/title-of.ts';
import { progressText, stagesDone } from '../../../report/waits/progress-text.ts';
import { waitsInRun, waitsOfRun } from '../../../report/waits/waits.ts';
import { namesOfKind } from '../kind-words.ts';
import { ageOf, type Listing, listing, statusOf, timesOf } from '../listing.ts';
import { runPage } from './page.ts';
import { placementOf } from './placement-of.ts';

/** KubeFleet's columns (stageupdate_types.go), then its progress and what it waits for. */
export const runs: Listing = listing<StagedUpdateRun>({
  names: namesOfKind('runs'),
  clusterNames: ['clusterstagedupdateruns', 'clusterstagedupdaterun', 'csur'],
  namespacedNames: ['stagedupdateruns', 'stagedupdaterun', 'sur'],
  folders: ['runs'],
  conditionTypes: ['Initialized', 'Progressing', 'Succeeded'],
  items: ({ record }) => [...record.runs.values()],
  describe: (run) => ({
    name: run.metadata.name,
    namespace: run.metadata.namespace,
    placement: titleOf({ name: run.spec.placementName, namespace: run.metadata.namespace }),
    value: run,
  }),
  page: runPage,
  waits(run, status) {
    const placement = placementOf(run, status.record);
    return [...waitsOfRun(run, status), ...(placement ? waitsInRun(run, placement, status) : [])];
  },
  isOver: ({ status }) => isOver(status ?? {}),
  columns: [
    { heading: 'PLACEMENT', cell: ({ spec }) => spec.placementName },
    {
      heading: 'RESOURCE-SNAPSHOT-INDEX',
      cell: ({ spec, status }) => status?.resourceSnapshotIndexUsed ?? spec.resourceSnapshotIndex,
    },
    { heading: 'POLICY-SNAPSHOT-INDEX', cell: ({ status }) => status?.policySnapshotIndexUsed },
    { heading: 'INITIALIZED', cell: ({ status }) => statusOf(status?.conditions, 'Initialized') },
    { heading: 'PROGRESSING', wide: true, cell: ({ status }) => statusOf(status?.conditions, 'Progressing') },
    { heading: 'SUCCEEDED', cell: ({ status }) => statusOf(status?.conditions, 'Succeeded') },
    { heading: 'AGE', cell: ({ metadata, status }, now) => ageOf(metadata, timesOf(status?.conditions), now) },
    { heading: 'STAGES', wide: true, cell: ({ status }) => status && stagesDone(status) },
    { heading: 'STATE', wide: true, cell: ({ status }) => progressText(status) },
  ],
});
