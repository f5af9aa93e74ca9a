import { homedir } from 'node:os';
import { join } from 'node:path';
import { placedStructureFault } from '../../repo/yaml/structure-fault.ts';
import { unreadable } from '../terminal/file-errors.ts';

/** The connections of a flag, else of the files of KUBECONFIG, else of ~/.kube/config. Error: CliError, exit code 3. */
export async function membersNamed(option: string, flag = '--members') {
  const { connectionsOf } = await import('../../members/api-server/kubeconfig.ts');
  if (option !== '$KUBECONFIG')
    return connectionsOf(option, placedStructureFault).catch(unreadable(`${flag} ${option}`));
  const path = process.env['KUBECONFIG'] || join(homedir(), '.kube', 'config');
  return connectionsOf(path, placedStructureFault).catch(unreadable(`${flag} is not given, and ${path}`));
}
