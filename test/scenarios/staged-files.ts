export const environments = ['dev', 'test', 'prod'];

/** What is drawn of one stage; its clusters are those of an environment. */
export interface Stage {
  readonly environment: string;
  readonly maxConcurrency: number | string;
  readonly asksBefore: boolean;
  readonly asksAfter: boolean;
  readonly waits: boolean;
}

/** Clusters of any other environment come last, so that no run fails for want of a stage. */
export const withEverybody = (stages: readonly Stage[]): readonly Stage[] => [
  ...stages,
  ...environments
    .filter((environment) => stages.every((stage) => stage.environment !== environment))
    .map((environment) => ({ environment, maxConcurrency: 2, asksBefore: false, asksAfter: false, waits: false })),
];

export const strategyFile = (stages: readonly Stage[]): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: steps}\nspec: ${JSON.stringify(
    {
      stages: stages.map(({ environment, maxConcurrency, asksBefore, asksAfter, waits }) => ({
        name: environment,
        labelSelector: { matchLabels: { env: environment } },
        maxConcurrency,
        ...(asksBefore ? { beforeStageTasks: [{ type: 'Approval' }] } : {}),
        afterStageTasks: [
          ...(waits ? [{ type: 'TimedWait', waitTime: '1m' }] : []),
          ...(asksAfter ? [{ type: 'Approval' }] : []),
        ],
      })),
    },
  )}\n`;

/** `failing`: further annotations, as YAML. */
export const runFile = (
  name: string,
  state: string,
  index: number | undefined,
  { aborts = false, failing = '' }: { readonly aborts?: boolean; readonly failing?: string } = {},
): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: ${name}, annotations: {gitfleet.dev/on-membership-change: ${aborts ? 'abort' : 'go-on'}${failing}}}\nspec: {placementName: web, stagedRolloutStrategyName: steps, state: ${state}${index === undefined ? '' : `, resourceSnapshotIndex: "${index}"`}}\n`;
