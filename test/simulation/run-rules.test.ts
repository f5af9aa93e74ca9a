import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { GateWish } from './gates.ts';
import { badRuns } from './run-rules.ts';

const open: GateWish = {
  frozen: false,
  stopped: new Set(),
  of: new Map([['app0', ['before', 'after']]]),
  yes: new Set(['app0-v2-after-dev', 'app0-v2-before-prod']),
};

interface Told {
  readonly dev?: readonly string[];
  readonly prod?: readonly string[];
  readonly over?: boolean;
}

/** A run of which these clusters were started. */
const run = ({ dev = [], prod = [], over = false }: Told, hasDev = true) => {
  const started = (names: readonly string[], all: readonly string[]) =>
    all.map((clusterName) => ({
      clusterName,
      conditions: names.includes(clusterName)
        ? [{ type: 'Started', status: 'True', lastTransitionTime: '2026-11-20T10:00:00Z' }]
        : [],
    }));
  return {
    'runs/app0-v2.yaml': stringify({
      spec: { placementName: 'app0' },
      status: {
        stagesStatus: [
          { stageName: 'dev', clusters: started(dev, hasDev ? ['c0'] : []) },
          { stageName: 'prod', clusters: started(prod, ['c1', 'c2']) },
        ],
        conditions: over ? [{ type: 'Succeeded', status: 'False' }] : [],
      },
    }),
  };
};
const dev: Told = { dev: ['c0'] };
const prod: Told = { dev: ['c0'], prod: ['c1'] };

describe('what is published of a run', () => {
  it.each<[what: string, before: Told, after: Told, wish: Partial<GateWish>, broken: readonly string[]]>([
    ['comes to dev unasked', {}, dev, { yes: new Set() }, []],
    ['comes to prod when both gates were answered', dev, prod, {}, []],
    ['asks before prod', dev, prod, { yes: new Set(['app0-v2-after-dev']) }, ['app0-v2 came to prod unasked']],
    ['asks after dev', dev, prod, { yes: new Set(['app0-v2-before-prod']) }, ['app0-v2 left dev unasked']],
    ['asks only where it should', dev, prod, { yes: new Set(), of: new Map() }, []],
    [
      'starts nothing while it is stopped',
      {},
      dev,
      { stopped: new Set(['app0-v2']) },
      ['app0-v2 started dev c0 2026-11-20T10:00:00Z although it was stopped'],
    ],
    [
      'starts nothing in a freeze',
      {},
      dev,
      { frozen: true },
      ['app0-v2 started dev c0 2026-11-20T10:00:00Z although the fleet was frozen'],
    ],
    [
      'starts nothing when it is over',
      { over: true },
      dev,
      {},
      ['app0-v2 is over and started dev c0 2026-11-20T10:00:00Z'],
    ],
    ['is as it was before, stopped or not', prod, prod, { stopped: new Set(['app0-v2']), frozen: true }, []],
  ])('%s', (_, before, after, wish, broken) => {
    expect(badRuns(run(before), run({ ...after }), { ...open, ...wish })).toEqual(broken);
  });

  it('nobody is asked after a stage without clusters', () => {
    const yes = new Set(['app0-v2-before-prod']);
    expect(badRuns(run({}, false), run({ prod: ['c1'] }, false), { ...open, yes })).toEqual([]);
  });

  it('has no effect where the earlier state is not recorded', () => {
    expect(badRuns({}, run(prod), { ...open, yes: new Set() })).toEqual([]);
  });
});
