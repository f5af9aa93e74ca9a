import type { FleetConfig } from '../../api/gitfleet.ts';
import { error, type Issue } from '../../api/issue.ts';
import { answeredBy } from '../../api/kinds.ts';
import type { Validated } from '../../api/validate.ts';
import type { Fleet } from '../../engine/input.ts';
import type { Placed } from './finding.ts';

const usualFolder = 'approvals/';
const configFile = 'fleet.yaml';

/**
 * Issues with the place of an object. Approvals count only in their folder, which only `fleet.yaml` configures, so that code owners
 * of these two decide who may approve.
 */
export function placeIssues(
  { object }: Pick<Validated, 'object'>,
  { file }: Placed,
  folder: string | undefined,
): Issue[] {
  if (answeredBy(object?.kind) !== undefined) {
    if (folder === undefined) return [folderUnknown];
    return file.startsWith(folder) ? [] : [outsideFolder(file, folder)];
  }
  if (object?.kind !== 'FleetConfig' || object.spec.approvals === undefined) return [];
  return file === configFile ? [] : [outsideConfig(file)];
}

/**
 * The folder below which approvals count. Undefined while `fleet.yaml` may hold a FleetConfig that is not in effect: a file that
 * others may add, such as `Fleet.yaml`, must not move the folder to the usual place. `faulty`: files with errors.
 */
export function countingFolder(
  configs: readonly { readonly object: FleetConfig; readonly file: string }[],
  faulty: ReadonlySet<string>,
): string | undefined {
  const config = configs.find(({ file }) => file === configFile)?.object;
  return config === undefined && faulty.has(configFile) ? undefined : approvalFolder(config);
}

/** The same of a fleet that was loaded. */
export const countingFolderOf = ({
  config,
  noApprovalCounts,
}: Pick<Fleet, 'config' | 'noApprovalCounts'>): string | undefined =>
  noApprovalCounts ? undefined : approvalFolder(config);

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

/** What is wrong is reported for `fleet.yaml`, once. */
const folderUnknown: Issue = {
  severity: 'info',
  code: 'approval-outside-folder',
  path: [],
  message: `no approval counts while ${configFile} is not in effect, since its FleetConfig may name their folder: this one is not read`,
  fix: `correct what is reported for ${configFile}`,
};

const outsideConfig = (file: string): Issue =>
  error(
    'approval-outside-folder',
    ['spec', 'approvals'],
    `approvals.path counts only in ${configFile}, not in ${file}`,
    `move it to ${configFile}`,
  );
