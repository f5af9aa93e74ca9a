import { expect, it } from 'vitest';
import { PaperFleet } from '../../support/paper-fleet.ts';
import { stagedRun } from '../../support/staged-run.ts';

const copied = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterApprovalRequest
metadata: {name: web-2-after-all}
spec: {parentStageRollout: web-1, targetStage: all}
status: {conditions: [{type: Approved, status: "True", reason: Approved}]}
`;

it.each([
  ['stop', 'approval web-2-after-all is for run web-1'],
  ['rollback', 'rolled back 2 of 2 clusters'],
])(
  'a run whose clusters have its version, and whose approval is for another run, fails alone (on-failure: %s)',
  async (onFailure, message) => {
    const fleet = new PaperFleet(stagedRun(''));
    await fleet.settle();
    fleet.files = {
      ...fleet.files,
      'strategy.yaml': stagedRun('{type: Approval}')['strategy.yaml']!,
      'run.yaml': stagedRun('')['run.yaml']!.replace(
        '{name: web-1}',
        `{name: web-2, annotations: {gitfleet.dev/on-failure: ${onFailure}}}`,
      ),
      'approvals/web-2-after-all.yaml': copied,
    };
    for (let pass = 0; pass < 3; pass++) {
      const { guard } = await fleet.plan();
      expect(guard).toEqual([]);
      fleet.deliver();
      fleet.pass(10);
    }
    const { runs } = await fleet.plan();
    expect(runs.find(({ name }) => name === 'web-2')?.status.conditions?.at(-1)?.message).toContain(message);
  },
);
