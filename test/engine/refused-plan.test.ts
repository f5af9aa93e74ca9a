import { describe, expect, it } from 'vitest';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';

const refused = async (change: (fleet: PaperFleet) => void) => {
  const fleet = new PaperFleet({
    'clusters/a.yaml': member('a'),
    'clusters/b.yaml': member('b'),
    'placements/web.yaml': placement('web', '{placementType: PickAll}'),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
  });
  await fleet.settle();
  delete fleet.files['resources/web.yaml'];
  fleet.pass(60);
  const first = await fleet.plan({ refused: true });
  change(fleet);
  return { first, second: await fleet.plan({ refused: true }) };
};

describe('the digest of a refused plan', () => {
  it('has no instants: what the plan would start starts later, and the digest stays', async () => {
    const { first, second } = await refused((fleet) => fleet.pass(60));
    expect(first.placements[0]!.conditions).not.toEqual(second.placements[0]!.conditions);
    expect(second.digest).toBe(first.digest);
  });

  it.each<[what: string, change: (fleet: PaperFleet) => void]>([
    [
      'another commit',
      (fleet) => {
        fleet.commit = 'd'.repeat(40);
      },
    ],
    [
      'another finding',
      (fleet) => {
        delete fleet.files['placements/web.yaml'];
      },
    ],
  ])('is another for %s', async (_, change) => {
    const { first, second } = await refused(change);
    expect(second.digest).not.toBe(first.digest);
  });
});
