import { expect, it } from 'vitest';
import { longestDurationMs } from '../../src/api/longest-duration.ts';
import { parseDuration } from '../../src/engine/kernel/duration.ts';
import { parseWindow } from '../../src/engine/window/parse-window.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { treeOf } from '../support/paper-fleet.ts';

const endless = ['87601h', '999999999999h', `${'9'.repeat(400)}h`, `${'8000h'.repeat(1000)}`];

const strategy = (waitTime: string): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: slow}
spec:
  stages:
    - name: one
      labelSelector: {matchLabels: {env: dev}}
      afterStageTasks: [{type: TimedWait, waitTime: ${waitTime}}]
`;

it.each(endless)('a wait of %s is refused where it is written', async (waitTime) => {
  const { problems } = await loadFleet(treeOf({ 'slow.yaml': strategy(waitTime) }));
  expect(problems).toContainEqual(
    expect.objectContaining({ code: 'invalid-duration', file: 'slow.yaml', fix: 'write at most 87600h' }),
  );
});

it.each(endless)('a freeze of %s is refused', (duration) => {
  expect(parseWindow({ schedule: '0 0 * * *', duration })).toMatchObject({
    ok: false,
    faults: [{ field: 'duration', fault: expect.stringContaining('of at most ten years') }],
  });
});

it.each(endless)('%s in the record is ten years, neither none nor an instant that does not exist', (text) => {
  expect(parseDuration(text)).toBe(longestDurationMs);
  expect(() => new Date(Date.now() + parseDuration(text)!).toISOString()).not.toThrow();
});
