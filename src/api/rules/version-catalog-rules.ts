import { error, type Issue, warning } from '../issue.ts';
import { parseVersion } from '../kubernetes-version.ts';
import { parseNodeImage } from '../node-image.ts';
import type { VersionCatalog } from '../version-catalog.ts';

/** Versions that cannot be read would not be there for anybody. */
export const versionCatalogIssues = ({ spec }: VersionCatalog): Issue[] =>
  spec.regions.flatMap(({ kubernetesVersions, nodeImageVersions }, region) => {
    const path = ['spec', 'regions', region];
    return [
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
  });
