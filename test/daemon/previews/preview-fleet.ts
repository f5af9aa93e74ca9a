import { openPull, type StoredPull } from '../../../src/simulator/forge/dialect.ts';
import { memoryHost } from '../../forge/git-host.ts';
import type { DialectName } from '../../forge/test-forge.ts';
import { TestForge } from '../../forge/test-forge.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { config } from '../requests/forge-fleet.ts';

type Changes = Readonly<Record<string, string | undefined>>;

export const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: web}\ndata: {v: "${value}"}\n`;

const cities = ['ams', 'fra', 'lon', 'nyc'];

/** A fleet of four clusters that run a Deployment and a ConfigMap, its forge, and people who propose changes. */
export class PreviewFleet {
  readonly fleet: VirtualFleet;
  readonly forge: TestForge;

  constructor(fleet: VirtualFleet, forge: TestForge) {
    this.fleet = fleet;
    this.forge = forge;
  }

  /** `more`: further fields of the forge in fleet.yaml. */
  static async open(dialect: DialectName, more?: string): Promise<PreviewFleet> {
    const fleet = await VirtualFleet.open(
      {
        'fleet.yaml': config(dialect, more),
        ...Object.fromEntries(cities.map((name) => [`clusters/${name}.yaml`, member(name)])),
        'web.yaml': placement('web', '{placementType: PickAll}'),
        'resources/web.yaml': deployment('web', 'web', 'web:1'),
        'resources/extra.yaml': configMap('extra', '1'),
      },
      ...cities,
    );
    return new PreviewFleet(fleet, new TestForge(dialect, memoryHost(fleet.repo), () => fleet.clock.now()));
  }

  /** A commit on a branch that began at main. */
  push(head: string, changes: Changes): string {
    const files: Record<string, string | undefined> = { ...this.fleet.files, ...changes };
    const written = Object.entries(files).flatMap(([path, text]) => (text === undefined ? [] : [[path, text]]));
    return this.fleet.repo.commit(head, Object.fromEntries(written), 'Propose', [this.fleet.repo.tip('main')!]);
  }

  propose(head: string, changes: Changes): StoredPull {
    this.push(head, changes);
    return openPull(this.forge, { head, base: 'main', title: head, body: '' });
  }

  /** Until everything runs everywhere. */
  settled(): Promise<void> {
    const runs = (name: string) => this.fleet.stored(name, 'apps/deployments', 'web', 'web') !== undefined;
    return this.fleet.until('all clusters run it', () => cities.every(runs), 600);
  }

  /** `state description` of the statuses of a commit, oldest first. */
  statuses(commit: string): string[] {
    return this.forge.statuses
      .filter((status) => status.commit === commit && status.context === 'gitfleet/plan')
      .map(({ state, description }) => `${state === 'failed' ? 'failure' : state} ${description}`);
  }
}
