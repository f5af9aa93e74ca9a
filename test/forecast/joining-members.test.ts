import { expect, it } from 'vitest';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { member, PaperFleet } from '../support/paper-fleet.ts';
import { effectOf, web } from './effect-of.ts';

it.each(['kind: MemberClustr', 'kind: [', 'kind: MemberCluster\nspec: {heartbeatPeriodSeconds: no}'])(
  'a cluster whose broken file is mended does not join: %s',
  async (kind) => {
    const paper = new PaperFleet(web());
    await paper.settle();
    paper.files = {
      ...web(),
      'clusters/nyc.yaml': member('nyc', { city: 'nyc' }).replace('kind: MemberCluster', kind),
    };
    await paper.settle();
    const effect = await effectOf(paper, web());
    expect([effect.joining, effectText(effect).title]).toEqual([[], 'no change on any cluster']);
  },
);
