import { clusterFiles, type Files, placementFile, smallWorkload } from './fleet-repo.ts';

/** A fleet repo of so many clusters and placements; every placement picks so many clusters by labels and preference. */
export function largeRepo({
  clusters,
  placements,
  picks,
}: {
  readonly clusters: number;
  readonly placements: number;
  readonly picks: number;
}): Files {
  const files: Record<string, string> = { ...clusterFiles(clusters) };
  for (let at = 0; at < placements; at++)
    Object.assign(files, placementFile(appName(at), pickN(at, picks)), smallWorkload(appName(at), '1.0.0'));
  return files;
}

export const appName = (at: number): string => `app-${String(at).padStart(4, '0')}`;

/** Two regions in three or one environment are asked for, so that filters, scores and ties all have work to do. */
const pickN = (at: number, picks: number): string =>
  JSON.stringify({
    placementType: 'PickN',
    numberOfClusters: picks,
    affinity: {
      clusterAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          clusterSelectorTerms: [
            { labelSelector: { matchLabels: { env: at % 2 ? 'prod' : 'dev' } } },
            { labelSelector: { matchLabels: { region: `region-${at % 10}` } } },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 10 + (at % 90),
            preference: { labelSelector: { matchLabels: { region: `region-${(at * 7) % 10}` } } },
          },
        ],
      },
    },
  });
