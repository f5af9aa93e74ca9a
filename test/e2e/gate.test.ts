import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { removeFolders } from '../support/folders.ts';
import { gitThere, sh } from '../support/git-repository.ts';
import { endAll, type FleetRepo, fleetRepo, push, recorded, startClusters, startDaemon, until } from './processes.ts';
import { bound, gate, staged } from './staged-fleet.ts';

afterEach(endAll);
afterAll(removeFolders);

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
