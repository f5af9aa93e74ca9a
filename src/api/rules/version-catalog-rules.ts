import { error, type Issue, warning } from '../issue.ts';
import { parseVersion } from '../kubernetes-version.ts';
import { parseNodeImage } from '../node-image.ts';
import { upgradeProviders } from '../upgrade-providers.ts';
import type { VersionCatalog } from '../version-catalog.ts';

/** Versions that cannot be read would not be there for anybody. */
export const versionCatalogIssues = ({ spec }: VersionCatalog): Issue[] => [
  ...providerIssues(spec.provider),
  ...spec.regions.flatMap(({ name, kubernetesVersions, nodeImageVersions }, region) => {
    const path = ['spec', 'regions', region];
    const isTwice = spec.regions.findIndex((other) => other.name === name) < region;
    return [
      ...(isTwice
        ? [warning('duplicate', [...path, 'name'], `region ${name} is listed twice`, 'write one entry')]
        : []),
      ...kubernetesVersions.flatMap(({ version }, at) =>
        parseVersion(version)?.patch === undefined
          ? [
              error(
                'invalid-value',
                [...path, 'kubernetesVersions', at, 'version'],
                `"${version}" is not a Kubernetes version`,
                'write for example 1.31.5 or v1.31.5+k3s1',
              ),
            ]
          : [],
      ),
      ...nodeImageVersions.flatMap(({ version }, at) =>
        parseNodeImage(version)
          ? []
          : [
              warning(
                'no-use',
                [...path, 'nodeImageVersions', at, 'version'],
                `"${version}" has no family and version that can be compared: it is left out`,
                'write for example AKSUbuntu-2204gen2containerd-202601.27.0',
              ),
            ],
      ),
    ];
  }),
];

/** Nothing is known of the versions of members whose provider it was meant for. */
function providerIssues(provider: string | undefined): Issue[] {
  if (provider === undefined || upgradeProviders.some((name) => name === provider)) return [];
  const fix = `write one of ${upgradeProviders.join(', ')}, or remove it for members of any`;
  return [warning('no-use', ['spec', 'provider'], `there is no upgrade provider ${provider}`, fix)];
}
