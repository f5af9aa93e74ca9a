import type { AutoUpgradeProfile } from '../auto-upgrade-profile.ts';
import { error, type Issue, type IssueAt } from '../issue.ts';
import type { AnyFleetObject, At } from '../kinds/kind.ts';
import { parseVersion } from '../kubernetes-version.ts';
import type { VersionCatalog } from '../version-catalog.ts';
import { upgradeNameIssues } from './upgrade-rules.ts';

export const profileIssues = ({ metadata, spec }: AutoUpgradeProfile): Issue[] => [
  ...upgradeNameIssues(metadata.name, ['metadata', 'name']),
  ...(spec.channel === 'SecurityPatch' ? [refusedChannel] : []),
  ...targetIssues(spec),
];

const refusedChannel = error(
  'invalid-value',
  ['spec', 'channel'],
  'SecurityPatch is done by Azure itself: no upgrade provider can do it',
  'write NodeImage',
);

function targetIssues({
  channel,
  targetKubernetesVersion: target,
  longTermSupport,
}: AutoUpgradeProfile['spec']): Issue[] {
  const isTargeted = channel === 'TargetKubernetesVersion';
  const path = ['spec', 'targetKubernetesVersion'];
  const issues: Issue[] = [];
  if (isTargeted && target === undefined)
    issues.push(
      error('field-required', ['spec'], `${channel} needs a targetKubernetesVersion`, 'write for example "1.31"'),
    );
  if (!isTargeted && target !== undefined)
    issues.push(
      error(
        'field-not-allowed',
        path,
        `${channel} chooses the version itself`,
        'remove it, or use channel: TargetKubernetesVersion',
      ),
    );
  if (target !== undefined && !/^\d+\.\d+$/.test(target))
    issues.push(error('invalid-value', path, `"${target}" is not a minor version`, 'write for example "1.31"'));
  if (!isTargeted && longTermSupport)
    issues.push(
      error(
        'field-not-allowed',
        ['spec', 'longTermSupport'],
        `${channel} has no long-term support`,
        'remove it, or use channel: TargetKubernetesVersion',
      ),
    );
  return issues;
}

/** Long-term support of a minor that no catalog lists as such. */
export const longTermWithoutCatalog = (
  own: readonly At<AutoUpgradeProfile>[],
  all: readonly AnyFleetObject[],
): IssueAt[] =>
  own.flatMap(({ object: { spec }, index }) => {
    const target = spec.longTermSupport ? parseVersion(spec.targetKubernetesVersion ?? '') : undefined;
    if (!target || all.filter(isCatalog).some((catalog) => isLongTerm(catalog, target))) return [];
    const message = `no VersionCatalog lists a version of ${spec.targetKubernetesVersion} with lts: true`;
    return [
      {
        index,
        issue: error(
          'invalid-value',
          ['spec', 'longTermSupport'],
          message,
          'remove it, or add the version to a VersionCatalog',
        ),
      },
    ];
  });

const isCatalog = (object: AnyFleetObject): object is VersionCatalog => object.kind === 'VersionCatalog';

const isLongTerm = (
  { spec }: VersionCatalog,
  { major, minor }: { readonly major: number; readonly minor: number },
): boolean =>
  spec.regions.some(({ kubernetesVersions }) =>
    kubernetesVersions.some(({ version, lts }) => {
      const listed = parseVersion(version);
      return lts && listed?.major === major && listed.minor === minor;
    }),
  );
