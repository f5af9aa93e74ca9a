import type { Transport } from '../../src/members/api-server/transport.ts';
import { deployment, member, placement } from '../support/paper-fleet.ts';
import { type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';

export type Files = Record<string, string>;

const canary = 'canary-1';
const prod = ['prod-1', 'prod-2'] as const;
export const names = [canary, ...prod] as const;
export const gate = 'gitfleet/approve/web-1-after-canary';
const group = 'placement.kubernetes-fleet.io';

/** `web` goes to canary, and behind an approval to prod; `tools` goes everywhere by itself. */
export const gatedFleet = (image: string): Files => ({
  'clusters/canary-1.yaml': member(canary, { env: 'canary' }),
  ...Object.fromEntries(prod.map((name) => [`clusters/${name}.yaml`, member(name, { env: 'prod' })])),
  'placements/web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
  'placements/tools.yaml': placement(
    'tools',
    '{placementType: PickAll}',
    '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}',
  ),
  'strategy.yaml': `
apiVersion: ${group}/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: careful}
spec:
  stages:
    - {name: canary, labelSelector: {matchLabels: {env: canary}}, maxConcurrency: 2, afterStageTasks: [{type: Approval}]}
    - {name: prod, labelSelector: {matchLabels: {env: prod}}, maxConcurrency: 2}
`,
  'runs/web-1.yaml': run('web-1'),
  'resources/web.yaml': deployment('web', 'web', image),
  'resources/tools.yaml': deployment('tools', 'tools', 'tools:1'),
});

export const run = (name: string): string => `
apiVersion: ${group}/v1beta1
kind: ClusterStagedUpdateRun
metadata: {name: ${name}}
spec: {placementName: web, stagedRolloutStrategyName: careful}
`;

/** A fleet that somebody attacks who can push to its status branch and to nothing else but branches that nobody merged. */
export class AttackedFleet {
  readonly fleet: VirtualFleet;
  daemon: VirtualDaemon;
  /** Bodies of all that was sent to members. */
  readonly sent: { readonly member: string; readonly body: string }[] = [];

  private constructor(fleet: VirtualFleet, options?: Parameters<VirtualFleet['start']>[0]) {
    this.fleet = fleet;
    this.daemon = this.start(options);
  }

  static async open(
    files: Files = gatedFleet('web:1'),
    options?: Parameters<VirtualFleet['start']>[0],
  ): Promise<AttackedFleet> {
    return new AttackedFleet(await VirtualFleet.open(files, ...names), options);
  }

  /** Until canary is done and the gate asks. */
  static async atGate(): Promise<AttackedFleet> {
    const world = await AttackedFleet.open();
    await world.untilGate();
    return world;
  }

  async untilGate(name = gate): Promise<void> {
    await this.fleet.until('the gate asks', () => this.fleet.repo.tip(name) !== undefined, 300);
  }

  start(options: Parameters<VirtualFleet['start']>[0] = {}): VirtualDaemon {
    const through =
      (transport: Transport, name: string): Transport =>
      (request) => {
        if (request.body !== undefined) this.sent.push({ member: name, body: request.body });
        return transport(request);
      };
    this.daemon = this.fleet.start({ through, ...options });
    return this.daemon;
  }

  async restart(): Promise<void> {
    this.daemon.kill();
    this.start();
    await this.fleet.run(1);
  }

  /** Writes to the status branch, on top of what stands there. */
  async edit(change: (files: Files) => void | Promise<void>): Promise<void> {
    const files = await this.fleet.repo.files('fleet-status');
    await change(files);
    this.fleet.repo.commit('fleet-status', files, 'Attack');
  }

  /** Replaces the status branch by one without its history, as another daemon does after its loss. */
  async replace(change: (files: Files) => void): Promise<void> {
    const files = await this.fleet.repo.files('fleet-status');
    change(files);
    this.fleet.repo.commit('fleet-status', files, 'Start again', []);
  }

  /** Merges an approval branch, as its reviewers do. */
  async approve(name = gate): Promise<void> {
    const asked = await this.fleet.repo.files(name);
    this.fleet.commit(Object.fromEntries(Object.entries(asked).filter(([path]) => path.startsWith('approvals/'))));
  }

  /** Image of a Deployment on each member; undefined where there is none. */
  images(name = 'web'): (string | undefined)[] {
    return names.map((cluster) => {
      const object = this.fleet.stored(cluster, 'apps/deployments', name, name) as
        | { spec: { template: { spec: { containers: [{ image: string }] } } } }
        | undefined;
      return object?.spec.template.spec.containers[0].image;
    });
  }

  /** Images that were sent to a member by anybody's wish. */
  imagesSent(): ReadonlySet<string> {
    return new Set(
      this.sent.flatMap(({ body }) => [...body.matchAll(/"image":"([^"]*)"/g)].map(([, image]) => image!)),
    );
  }

  problems(): string[] {
    return this.daemon
      .plan()
      .problems.filter(({ code }) => ['record-mismatch', 'record-unproven'].includes(code))
      .map(({ file, message }) => `${file}: ${message}`);
  }

  close(): void {
    this.fleet.close();
  }
}

/** What the last plan waits for. */
export function stuckAt({ passes, daemon }: VirtualDaemon): string {
  const last = passes.at(-1);
  if (last === undefined || last.kind === 'moved') return `no plan: ${daemon.notReady()}`;
  const { guard, holds, problems } = last.plan;
  const messages = [...guard, ...holds, ...problems].map(({ message }) => message);
  return [last.kind, daemon.notReady(), ...messages].join('\n  ');
}
