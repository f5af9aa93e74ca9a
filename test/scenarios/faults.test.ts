import { describe, expect, it } from 'vitest';
import { moves, placement } from '../support/paper-fleet.ts';
import { names, settled } from './four-clusters.ts';

describe('what must never read as "remove everything"', () => {
  it('a deleted clusters/ folder is refused, and nothing leaves a member', async () => {
    const paper = await settled();
    for (const name of names) delete paper.files[`clusters/${name}.yaml`];
    await paper.plan({ refused: true });
  });

  it('a deleted resources/ folder is refused', async () => {
    const paper = await settled();
    delete paper.files['resources/web.yaml'];
    await paper.plan({ refused: true });
  });

  it('a refusal names a digest, and the approval of exactly that lets the plan pass', async () => {
    const paper = await settled();
    delete paper.files['placements/web.yaml'];
    const refused = await paper.plan({ refused: true });
    const digest = refused.guard.find(({ removalDigest }) => removalDigest)?.removalDigest;
    paper.files['approvals/removal.yaml'] =
      'apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: other}\nspec: {removalDigest: "sha256:0"}\n';
    await paper.plan({ refused: true });
    paper.files['approvals/removal.yaml'] =
      `apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: this}\nspec: {removalDigest: "${digest}"}\n`;
    await paper.settle();
    expect([...paper.members.values()].flatMap((held) => [...held.keys()])).toEqual([]);
  });
});

describe('a member that leaves', () => {
  it('keeps what it has, and PickN fills its place', async () => {
    const paper = await settled();
    expect(moves(await paper.plan())).toEqual(['web c keep Bound 0', 'web d keep Bound 0']);
    delete paper.files['clusters/d.yaml'];
    const plan = await paper.settle();
    expect(moves(plan)).toEqual(['web b keep Bound 0', 'web c keep Bound 0']);
    expect(plan.targets.map(({ clusterName }) => clusterName)).toEqual(['b', 'c']);
    expect([...(paper.members.get('d')?.keys() ?? [])]).toEqual(['web']);
  });
});

describe('transition rules', () => {
  it('a placement whose type changes is held at the recorded version', async () => {
    const paper = await settled();
    paper.files['placements/web.yaml'] = placement('web', '{placementType: PickAll}');
    const plan = await paper.plan();
    expect(moves(plan)).toEqual(['web c keep Bound 0', 'web d keep Bound 0']);
    expect(plan.holds.map(({ reason }) => reason)).toEqual(['LastGoodVersion']);
    expect(plan.problems.map(({ code, file }) => `${code} ${file}`)).toEqual(['immutable-field placements/web.yaml']);
  });
});
