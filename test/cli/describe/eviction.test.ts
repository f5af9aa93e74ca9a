import { describe, expect, it } from 'vitest';
import { eviction } from '../../../src/api/eviction.ts';
import type { Condition } from '../../../src/api/meta.ts';
import { evictionText } from '../../../src/cli/describe/eviction.ts';
import { is } from './world.ts';

describe('describe eviction says what came of it', () => {
  const result = (...conditions: Condition[]) =>
    evictionText(
      eviction.parse({
        apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
        kind: 'ClusterResourcePlacementEviction',
        metadata: { name: 'e' },
        spec: { placementName: 'web', clusterName: 'eu-1' },
        status: { conditions },
      }),
    )[0]!.split('\n');
  const again = 'to try again, commit one of another name';

  it.each<[string, Condition[], string]>([
    ['nothing yet', [], 'none yet'],
    ['done', [is('Valid', 'True', 0), is('Executed', 'True', 1)], 'executed; the file may go'],
    ['blocked', [is('Valid', 'True', 0), is('Executed', 'False', 1, 'blocked')], `not executed: blocked; ${again}`],
    ['not valid', [is('Valid', 'False', 0, 'no such placement')], `refused: no such placement; ${again}`],
  ])('%s', (_, conditions, expected) => {
    expect(result(...conditions)).toEqual([
      'Name:       e',
      'Kind:       ClusterResourcePlacementEviction',
      'Placement:  web',
      'Cluster:    eu-1',
      `Result:     ${expected}`,
    ]);
  });
});
