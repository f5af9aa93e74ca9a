import { deployment, member, PaperFleet, placement } from './fleet.ts';

export const names = ['a', 'b', 'c', 'd'];

/** One app, picked for two of four clusters. */
export const files = () => ({
  ...Object.fromEntries(
    names.map((name) => [`clusters/${name}.yaml`, member(name, { env: name === 'a' ? 'dev' : 'prod' })]),
  ),
  'placements/web.yaml': placement('web', '{placementType: PickN, numberOfClusters: 2}'),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
});

export const settled = async (): Promise<PaperFleet> => {
  const paper = new PaperFleet(files());
  await paper.settle();
  return paper;
};
