import { resolve } from 'node:path';
import { scaledClock } from '../../simulator/clock.ts';
import { CliError } from '../terminal/exit.ts';
import { print } from '../terminal/output.ts';
import { simulatedMembers } from './members.ts';

export interface SimulateOptions {
  readonly simulatedFleet: string;
  readonly kubeconfig: string;
  readonly port: string;
  readonly speed: string;
}

/** Simulated clusters for any program that speaks to a Kubernetes API, until SIGINT or SIGTERM. */
export async function simulate(options: SimulateOptions): Promise<void> {
  const speed = speedOf(options.speed);
  const port = Number(options.port);
  if (!/^\d+$/.test(options.port) || port > 65_535)
    throw new CliError(`--port ${options.port} is out of range: use a number from 0 (any free port) to 65535`);
  const members = await simulatedMembers(options.simulatedFleet, scaledClock(Date.now(), speed));
  const kubeconfig = resolve(options.kubeconfig);
  try {
    await members.listen(kubeconfig, port);
    print(`${members.names.length} simulated clusters, time runs ${speed}×: ${members.names.join(', ')}`);
    print(`export KUBECONFIG=${kubeconfig}`);
    await new Promise<void>((stop) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop());
    });
  } finally {
    await members.close();
  }
}

/** How many times faster than the real one a simulated clock runs: above 0, at most 1000. */
export function speedOf(text: string): number {
  const speed = Number(text);
  if (speed > 0 && speed <= 1000) return speed;
  throw new CliError(`--speed ${text} is out of range: use a number above 0, at most 1000`);
}
