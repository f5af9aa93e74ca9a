import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { devThenProd } from '../support/dev-then-prod.ts';
import { removeFolders } from '../support/folders.ts';
import { gitThere, sh } from '../support/git-repository.ts';
import { deployment, member } from '../support/paper-fleet.ts';
import { endAll, type FleetRepo, fleetRepo, push, recorded, startClusters, startDaemon, until } from './processes.ts';

afterEach(endAll);
afterAll(removeFolders);

const gate = 'gitfleet/approve/web-1-after-dev';
const staged: Readonly<Record<string, string>> = {
  'clusters/a.yaml': member('a', { env: 'dev' }),
  'clusters/b.yaml': member('b', { env: 'prod' }),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
  'placements/web.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourcePlacement
metadata: {name: web}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]
  policy: {placementType: PickAll}
  strategy: {type: External}
`,
  'strategies/careful.yaml': devThenProd('1s'),
  'runs/web-1.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: web-1}
spec: {placementName: web, stagedRolloutStrategyName: careful}
`,
};

const bound = (bare: string): string[] =>
  recorded(bare, 'placements/web/state.yaml')
    .split('\n')
    .flatMap((line) => /targetCluster: (\w+),.*type: Available, status: "True"/.exec(line)?.[1] ?? []);

/** The ways in which people and forges merge a branch into main. */
const merges: readonly (readonly [how: string, merge: (person: string) => void])[] = [
  ['a merge commit', (person) => sh(person, 'merge', '-q', '--no-ff', '-m', 'Merge', 'FETCH_HEAD')],
  [
    'a squash',
    (person) => {
      sh(person, 'merge', '-q', '--squash', 'FETCH_HEAD');
      sh(person, 'commit', '-qm', 'Squashed');
    },
  ],
  ['a fast-forward', (person) => sh(person, 'merge', '-q', '--ff-only', 'FETCH_HEAD')],
];

function merge({ person, bare }: FleetRepo, how: (person: string) => void): void {
  sh(person, 'fetch', '-q', bare, gate);
  how(person);
  push({ person, bare });
}

const asks = (bare: string): boolean => sh(bare, 'branch', '--list', gate) !== '';

describe.skipIf(!gitThere)('a staged run at its gate', () => {
  it.each(merges)(
    'waits, also when killed and restarted, until its branch is merged by %s',
    async (_how, how) => {
      const fleet = fleetRepo(staged);
      const kubeconfig = await startClusters('a', 'b');
      const first = startDaemon(fleet.bare, kubeconfig);
      await until('the branch of the gate is there', () => asks(fleet.bare));
      expect(first.output).toContain('started; the first reconciliation reports its findings');
      await first.end('SIGKILL');
      const second = startDaemon(fleet.bare, kubeconfig);
      await until('it has looked three times', () => second.output.split('nothing to do').length > 3);
      expect([asks(fleet.bare), bound(fleet.bare)]).toEqual([true, ['a']]);
      merge(fleet, how);
      await until('stage two is done', () => bound(fleet.bare).join() === 'a,b');
      await until('the run is over', () =>
        recorded(fleet.bare, 'runs/web-1.yaml').includes('reason: UpdateRunSucceeded'),
      );
      await until('the branch of the gate is taken back', () => !asks(fleet.bare));
    },
    600_000,
  );
});
