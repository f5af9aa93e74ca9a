/** What a figure may come to. All limits of all benchmarks stand here, so that one place says what is judged. */
export interface Limit {
  /** In the unit of the figure. */
  readonly most?: number;
  /** Times the baseline of the same run: steadier than a time, since machines differ more than ratios do. */
  readonly ratio?: number;
  /** Cores that the figure needs; on fewer it is reported, not judged. One: the work is of a single thread. */
  readonly cores: 1 | 2;
}

const mostGrowth: Limit = { most: 2.2, cores: 1 };

export const limits = {
  help: { most: 250, cores: 1 },
  placement: {
    labels: { most: 500, cores: 1 },
    unfiltered: { most: 2_000, cores: 1 },
    spread: { most: 5_000, cores: 1 },
    memory: { most: 600, cores: 1 },
    growth: mostGrowth,
  },
  oneFile: { plan: { most: 150, cores: 1 }, memory: { most: 1_024, cores: 1 }, growth: mostGrowth },
  preview: { whole: { most: 3_000, cores: 1 }, forecast: { most: 3_000, cores: 1 } },
  stagedRuns: { most: 30_000, cores: 2 },
  steady: { pass: { most: 300, cores: 1 }, requests: { most: 0, cores: 1 } },
  // A parse of the same files is the baseline. Threads help from three cores on (`parse-pool.ts`).
  load: { cold: { ratio: 1.2, cores: 2 }, restart: { ratio: 0.25, cores: 2 }, change: { ratio: 6, cores: 2 } },
  verifiedStart: { ratio: 1.1, cores: 1 },
  status: { ratio: 1.5, cores: 2 },
  files: { plan: { ratio: 16, cores: 2 }, memory: { most: 600, cores: 2 } },
  upgrades: {
    pass: { most: 300, cores: 1 },
    forecast: { most: 3_000, cores: 1 },
    memory: { most: 800, cores: 1 },
    growth: mostGrowth,
  },
  nodes: {
    consolidation: { most: 5_000, cores: 1 },
    drift: { most: 2_000, cores: 1 },
    forecast: { most: 10_000, cores: 1 },
    memory: { most: 800, cores: 1 },
    growth: { most: 4, cores: 1 },
  },
  demo: { most: 20_000, cores: 2 },
  reaction: { most: 1_000, cores: 2 },
  apply: {
    kubectl: { ratio: 1, cores: 2 },
    bare: { ratio: 1.15, cores: 2 },
    requests: { most: 1.1, cores: 1 },
  },
  hanging: { ratio: 1.1, cores: 2 },
  idle: { most: 400, cores: 2 },
  delivery: {
    hundred: { most: 3_000, cores: 2 },
    thousand: { most: 20_000, cores: 2 },
    memory: { most: 600, cores: 2 },
  },
} as const satisfies Readonly<Record<string, Limit | Readonly<Record<string, Limit>>>>;
