import type { ClusterObservation } from '../../../api/observation.ts';
import { assertNever } from '../../../engine/kernel/assert.ts';
import { UnreachableError } from '../../api-server/api-error.ts';
import type { MemberClient } from '../../api-server/client.ts';
import { sleep } from '../../clock.ts';
import type { Connection } from '../../connection.ts';
import type { ManagementClusters } from '../../upgrade/management.ts';
import type { ProviderSetting } from '../../upgrade/provider.ts';
import { clusterApiLauncher } from './cluster-api.ts';
import type { Launcher } from './launcher.ts';
import { simulatedLauncher } from './simulated.ts';

/** Who launches and removes nodes of a member, by its upgrade provider; undefined = nothing can. */
export type OpenLauncher = (setting: ProviderSetting, client: MemberClient) => Launcher | undefined;

export const launchersOf =
  ({ management }: { readonly management?: Pick<ManagementClusters, 'find'> | undefined } = {}): OpenLauncher =>
  (setting, client) => {
    switch (setting.provider) {
      case 'simulated':
        return simulatedLauncher(client);
      case 'cluster-api':
        return clusterApiLauncher(async () => {
          if (management === undefined)
            throw new Error('start gitfleet with --cluster-api KUBECONFIG, a kubeconfig of the management cluster');
          return management.find(setting);
        });
      // Nothing that they offer adds one machine to a cluster.
      case 'aks':
      case 'system-upgrade-controller':
        return undefined;
      default:
        return assertNever(setting.provider);
    }
  };

/** Who launches nodes of a member, the provider that upgrades it, and what it says of them. */
export interface Launching {
  use(setting: ProviderSetting | undefined): void;
  /** Whether commands may launch nodes there: then launches are read now and from time to time, whether or not there is a command. */
  need(isNeeded: boolean): void;
  /** Undefined: nothing can launch nodes there. Then no launches are reported, and commands that need a replacement are held. */
  launcher(): Launcher | undefined;
  /** Reads launches again, if they are read at all. Never rejects. */
  read(): Promise<void>;
  /** What was read last, or why nothing was read yet. */
  observation(): Pick<ClusterObservation, 'launches' | 'launchesNotRead'>;
  /** False until they were read or could not be read. */
  idle(): boolean;
}

/** How often launches are read while no command is under way, milliseconds. */
const restMs = 30_000;

export function launching(
  {
    connection: { client, clock, contact },
    life,
    changed,
  }: {
    readonly connection: Connection;
    readonly life: AbortSignal;
    /** What is observed changed; with a message when someone must act. */
    readonly changed: (message?: string) => void;
  },
  open: OpenLauncher = launchersOf(),
): Launching {
  let launcher: Launcher | undefined;
  let present: ProviderSetting | undefined;
  let isNeeded = false;
  let launches: ClusterObservation['launches'];
  let fault: string | undefined;
  let reading: Promise<void> | undefined;
  let wake = new AbortController();
  let isRunning = false;

  /** Where commands were given up, until what they launched is forgotten. */
  const isRead = (): boolean =>
    !life.aborted &&
    launcher !== undefined &&
    (isNeeded || launches?.some(({ phase }) => phase !== 'Launched') === true);
  const isPending = (): boolean => isRead() && launches === undefined && fault === undefined;

  async function readNow(): Promise<void> {
    const of = launcher;
    const before = JSON.stringify([launches, fault]);
    const found = await of?.observe().catch((error: unknown) => {
      if (!(error instanceof Error)) throw error;
      // The contact of the member finds out.
      if (error instanceof UnreachableError) contact.doubt();
      return error.message;
    });
    if (life.aborted || of !== launcher) return;
    const isFault = typeof found === 'string';
    fault = isFault ? found : undefined;
    if (!isFault) launches = found;
    if (JSON.stringify([launches, fault]) !== before) changed(isFault ? `launches are not read: ${fault}` : undefined);
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (isRead()) {
      wake = new AbortController();
      await contact.open();
      await read();
      await sleep(clock, restMs, AbortSignal.any([wake.signal, life]));
    }
    isRunning = false;
    if (life.aborted) return;
    launches = undefined;
    fault = undefined;
    changed();
  }

  async function read(): Promise<void> {
    if (!isRead()) return;
    reading ??= readNow().finally(() => {
      reading = undefined;
    });
    await reading;
  }

  function turned(): void {
    wake.abort();
    if (isRead() && !isRunning) void run();
    changed();
  }

  return {
    use(setting) {
      if (setting?.provider === present?.provider && setting?.ref === present?.ref) return;
      present = setting;
      launcher = setting && open(setting, client);
      launches = undefined;
      fault = undefined;
      reading = undefined;
      turned();
    },
    need(next) {
      if (next === isNeeded) return;
      isNeeded = next;
      turned();
    },
    launcher: () => launcher,
    read,
    observation: () => (launches ? { launches } : isRead() ? { launchesNotRead: fault ?? 'not read yet' } : {}),
    idle: () => !isPending(),
  };
}
