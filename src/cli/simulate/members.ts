import { rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileErrorText } from '../../api/file-error-text.ts';
import { messageOf } from '../../api/message-of.ts';
import { limitHeapGrowth } from '../../daemon/memory/heap-growth.ts';
import type { Transport } from '../../members/api-server/transport.ts';
import type { Clock } from '../../members/clock.ts';
import { formatProblem } from '../../repo/fleet/positions.ts';
import { readSimulatedFleet } from '../../repo/read-simulated-fleet.ts';
import { openFleet } from '../../simulator/fleet.ts';
import { kubeconfigOf } from '../../simulator/kubeconfig.ts';
import { type Listening, listen } from '../../simulator/listen.ts';
import { inProcessTransport } from '../../simulator/transport.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { unreadable } from '../terminal/file-errors.ts';

export interface SimulatedMembers {
  readonly names: readonly string[];
  /** Undefined for a member that the file does not name. */
  readonly connect: (name: string) => Promise<Transport | undefined>;
  /** Serves all members over HTTP on this machine and writes a kubeconfig for them. */
  readonly listen: (kubeconfigPath: string, port?: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The members of a SimulatedFleet file, living on a clock. */
export async function simulatedMembers(file: string, clock: Clock): Promise<SimulatedMembers> {
  const { fleet, problems } = await readSimulatedFleet(file).catch(unreadable(file));
  const wrong = problems.filter(({ severity }) => severity === 'error');
  if (!fleet || wrong.length > 0) throw new CliError(wrong.map(formatProblem).join('\n'));
  // Before the members are made: a thousand of them grow the heap to its maximum, which is not given back.
  limitHeapGrowth();
  const members = await openFleet(fleet, clock).catch((error: unknown) => {
    throw new CliError(`${file}: ${messageOf(error)}`, undefined, {
      cause: error,
    });
  });
  let listening: Listening | undefined;
  return {
    names: [...members.keys()],
    async connect(name) {
      const member = members.get(name);
      return member && inProcessTransport(member);
    },
    async listen(kubeconfigPath, port) {
      listening = await listen(members, port);
      const text = kubeconfigOf([...members.keys()], listening.urlOf);
      // Written to a draft and renamed: kubectl may be reading the old file.
      const draft = join(dirname(kubeconfigPath), `.kubeconfig-${process.pid}`);
      try {
        await writeFile(draft, text, { mode: 0o600 });
        await rename(draft, kubeconfigPath);
      } catch (error) {
        throw new CliError(`${kubeconfigPath} cannot be written: ${fileErrorText(error)}`, exitCodes.unreachable);
      }
    },
    async close() {
      await listening?.close();
      for (const member of members.values()) member.close();
    },
  };
}
