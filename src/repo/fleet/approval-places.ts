import type { FleetConfig } from '../../api/gitfleet.ts';
import { error, type Issue } from '../../api/issue.ts';
import { answeredBy } from '../../api/kinds.ts';
import type { Validated } from '../../api/validate.ts';
import type { Placed } from './finding.ts';

const usualFolder = 'approvals/';
const configFile = 'fleet.yaml';

/**
 * Issues with the place of an object. Approvals count only in their folder, which only `fleet.yaml` configures, so that code owners
 * of these two decide who may approve.
 */
export function placeIssues({ object }: Pick<Validated, 'object'>, { file }: Placed, folder: string): Issue[] {
  if (answeredBy(object?.kind) !== undefined) return file.startsWith(folder) ? [] : [outsideFolder(file, folder)];
  if (object?.kind !== 'FleetConfig' || object.spec.approvals === undefined) return [];
  return file === configFile ? [] : [outsideConfig(file)];
}

/** The FleetConfig that sets the folder of approvals. */
export const approvalConfig = (
  configs: readonly { readonly object: FleetConfig; readonly file: string }[],
): FleetConfig | undefined => configs.find(({ file }) => file === configFile)?.object;

/** The folder below which approvals count, with a slash at its end. A config in another file than `fleet.yaml` does not count. */
export function approvalFolder(config: FleetConfig | undefined): string {
  const { path } = config?.spec.approvals ?? { path: usualFolder };
  return path.endsWith('/') ? path : `${path}/`;
}

const outsideFolder = (file: string, folder: string): Issue =>
  error(
    'approval-outside-folder',
    [],
    `an approval counts only below ${folder}, and this one is refused`,
    `move it to ${folder}${file.split('/').at(-1)}, or merge the approval branch`,
  );

const outsideConfig = (file: string): Issue =>
  error(
    'approval-outside-folder',
    ['spec', 'approvals'],
    `approvals.path counts only in ${configFile}, not in ${file}`,
    `move it to ${configFile}`,
  );
