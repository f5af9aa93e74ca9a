import { parse, stringify } from 'yaml';
import type { AttackedFleet, Files } from './attacked-fleet.ts';

/** Whether the daemon is stopped during an attack. */
export const modes = [
  ['while the daemon runs', false],
  ['while the daemon is stopped', true],
] as const;

// biome-ignore lint/suspicious/noExplicitAny: an attacker knows no types.
export type Anything = any;

/** Changes the object in a file of the status branch. */
export function change(files: Files, path: string, edit: (value: Anything) => void): void {
  const value = parse(files[path]!);
  edit(value);
  files[path] = stringify(value);
}

export const truth = (type: string) => ({
  type,
  status: 'True',
  reason: 'Forged',
  lastTransitionTime: '2026-11-20T10:00:00Z',
});

/** Edits the status branch, and lets the fleet run. */
export async function attacked(
  world: AttackedFleet,
  { stopped, seconds = 120 }: { readonly stopped: boolean; readonly seconds?: number },
  edit: (files: Files) => void | Promise<void>,
): Promise<void> {
  if (stopped) world.daemon.kill();
  await world.edit(edit);
  if (stopped) world.start();
  await world.fleet.run(seconds);
}

/** Identity of a Namespace on a member: another one was created anew. */
export const uidOn = (world: AttackedFleet, cluster: string, name: string): string | undefined =>
  world.fleet.stored(cluster, '/namespaces', '', name)?.metadata.uid;
