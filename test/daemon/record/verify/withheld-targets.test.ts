import { expect, it } from 'vitest';
import { withheldTargets } from '../../../../src/daemon/record/verify/withheld-targets.ts';
import { deployment, member, PaperFleet, placement } from '../../../support/paper-fleet.ts';

const doubted = {
  isDoubted: () => true,
  isDoubtedRemoval: () => false,
  isOutOfPlace: () => false,
  isRefill: () => false,
};

it('a cluster that shows nothing of the placement may have been created anew', async () => {
  const web = (image: string) => ({ 'resources/web.yaml': deployment('web', 'web', image) });
  const paper = new PaperFleet({
    'a.yaml': member('a'),
    'b.yaml': member('b'),
    'web.yaml': placement(
      'web',
      '{placementType: PickAll}',
      '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}',
    ),
    ...web('web:1'),
  });
  await paper.settle();
  Object.assign(paper.files, web('web:2'));
  await paper.planOn();
  const { observations } = await paper.input();
  const found = (objects: 'none' | 'others') =>
    withheldTargets(
      paper.last!,
      doubted,
      new Map(
        [...observations!].map(([name, seen]) => [
          name,
          {
            ...seen,
            objects:
              objects === 'none' ? [] : seen.objects.map((it) => ({ ...it, metadata: { ...it.metadata, name: 'x' } })),
          },
        ]),
      ),
    ).problems.map(({ code, message, fix }) => [code, message.split(':')[0], fix]);
  const findWriter = 'find out who wrote to the status branch (git log) and let only gitfleet push there';
  expect(found('none')).toEqual([
    [
      'record-unproven',
      'b has nothing of the placement, and the status branch claims',
      `nothing, if the cluster was emptied or created anew; otherwise ${findWriter}`,
    ],
  ]);
  expect(found('others')).toEqual([['record-unproven', 'b does not show what the status branch claims', findWriter]]);
});
