import { describe, expect, it } from 'vitest';
import { planFleet } from '../../src/engine/plan.ts';
import { placementTargets } from '../../src/engine/target-kinds.ts';
import { deployment, moves, PaperFleet, placement } from '../support/paper-fleet.ts';
import { renderRecord } from '../support/render-record.ts';
import { files, names, stepsOn } from './four-clusters.ts';
import { frozen } from './texts.ts';

describe('a cluster that cannot be looked at when the record is lost', () => {
  /**
   * `web` on these of the four clusters, of which the last shows nothing as yet when the record is lost, with a newer version to come;
   * some were emptied.
   */
  async function lost(clusters: string, ...emptied: string[]): Promise<PaperFleet> {
    const paper = new PaperFleet({
      ...files(),
      'placements/web.yaml': placement(
        'web',
        `{placementType: PickFixed, clusterNames: [${clusters}]}`,
        '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}',
      ),
      'placements/other.yaml': placement('other', '{placementType: PickFixed, clusterNames: [a]}'),
      'resources/other.yaml': deployment('other', 'other', 'other:1'),
    });
    await paper.settle();
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    paper.record = new Map();
    paper.restart();
    for (const name of emptied) paper.members.delete(name);
    const input = await paper.input();
    const unseen = { ...input.observations!.get('d')!, complete: false, placements: [], objects: [] };
    const { record, guard } = planFleet({
      ...input,
      observations: new Map([...input.observations!, ['d', unseen]]),
    }).plan;
    expect(guard).toEqual([]);
    paper.record = renderRecord(record);
    paper.pass(1);
    return paper;
  }

  const steps = (paper: PaperFleet) => stepsOn(paper, names);

  it('does not change in a freeze, and the others are planned', async () => {
    const all = placement('web', '{placementType: PickAll}');
    const paper = new PaperFleet({ ...files(), 'placements/web.yaml': all });
    await paper.settle();
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    paper.files['fleet.yaml'] = frozen;
    paper.record = new Map();
    paper.down.add('a');
    paper.pass(1);
    const plan = await paper.plan();
    expect(placementTargets(plan.targets).map(({ clusterName, digest }) => `${clusterName} ${digest}`)).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => `${name} undefined`),
    );
  });

  it('gets what is new as an update, within the budget', async () => {
    const [one, two] = ['web:1', 'web:2'];
    expect(await steps(await lost('a, b, c, d'))).toEqual([
      [one, one, one, one],
      [two, one, one, one],
      [two, two, one, one],
      [two, two, two, one],
      [two, two, two, two],
    ]);
  });

  it('gets what is new at once where it turns out to have nothing, and counts as available only then', async () => {
    const [none, one, two] = ['undefined', 'web:1', 'web:2'];
    expect(await steps(await lost('a, b, c, d', 'd'))).toEqual([
      [one, one, one, none],
      [one, one, one, two],
      [two, one, one, two],
      [two, two, one, two],
      [two, two, two, two],
    ]);
  });

  it('keeps what it has while its kinds are not observed, as right after a daemon starts', async () => {
    const input = await (await lost('a, b, c, d')).input();
    const observations = new Map(
      [...input.observations!].map(([name, seen]) => [name, { ...seen, complete: true, placements: [], objects: [] }]),
    );
    const { plan } = planFleet({ ...input, observations });
    expect(plan.guard).toEqual([]);
    expect(moves(plan).filter((move) => move.includes('update'))).toEqual([]);
    expect(moves(plan)).toContain('web a wait Bound 0');
  });

  it('keeps what it has until another is available, where no cluster shows anything of the placement', async () => {
    const [none, one, two] = ['undefined', 'web:1', 'web:2'];
    expect(await steps(await lost('c, d', 'c'))).toEqual([
      [none, none, none, one],
      [none, none, two, one],
      [none, none, two, two],
    ]);
  });

  it.each([
    ['it alone may have what is picked for it', [], 'web:1'],
    ['it turns out to have nothing', ['d'], 'undefined'],
  ])('gets it where %s', async (_, emptied, before) => {
    const none = 'undefined';
    expect(await steps(await lost('d', ...emptied))).toEqual([
      [none, none, none, before],
      [none, none, none, 'web:2'],
    ]);
  });

  it('gets what is new within the budget though it was not even picked then', async () => {
    const fleet = {
      ...files(),
      'placements/web.yaml': placement(
        'web',
        '{placementType: PickFixed, clusterNames: [a, b, c, d]}',
        '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}',
      ),
    };
    const paper = new PaperFleet(fleet);
    await paper.settle();
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    paper.record = new Map();
    paper.restart();
    paper.down.add('d');
    paper.pass(1);
    const input = await paper.input();
    const never = new Map([...input.observations!].filter(([name]) => name !== 'd'));
    const { record } = planFleet({ ...input, observations: never }).plan;
    expect(moves(planFleet({ ...input, observations: never }).plan).filter((move) => move.startsWith('web d'))).toEqual(
      [],
    );
    paper.record = renderRecord(record);
    paper.down.delete('d');
    paper.pass(1);
    const [one, two] = ['web:1', 'web:2'];
    expect(await steps(paper)).toEqual([
      [one, one, one, one],
      [two, one, one, one],
      [two, two, one, one],
      [two, two, two, one],
      [two, two, two, two],
    ]);
  });
});
