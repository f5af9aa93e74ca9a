import type { Manifest } from '../../src/api/meta.ts';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';

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

/** What runs of `web`, and which cluster it was told that it is on: `web:1 on a`. */
export function imageAndCluster(held: { readonly objects: readonly Manifest[] } | undefined): string {
  const object = held?.objects.find(({ kind }) => kind === 'Deployment');
  const spec = object?.['spec'] as { template: { spec: { containers: readonly { image: string }[] } } } | undefined;
  return `${spec?.template.spec.containers[0]?.image} on ${object?.metadata.annotations?.['cluster']}`;
}

/** Images of `web` on clusters; `undefined` where there is none. */
export const imagesOn = (paper: PaperFleet, clusters: readonly string[]): (string | undefined)[] =>
  clusters.map((name) => imageAndCluster(paper.members.get(name)?.get('web')).split(' ')[0]);

/** Those images now and after each of some plans that were delivered, where something changed. */
export async function stepsOn(paper: PaperFleet, clusters: readonly string[]): Promise<(string | undefined)[][]> {
  const all = [imagesOn(paper, clusters)];
  for (let at = 0; at < 6; at++) {
    await paper.plan();
    paper.deliver();
    paper.pass(1);
    const images = imagesOn(paper, clusters);
    if (JSON.stringify(images) !== JSON.stringify(all.at(-1))) all.push(images);
  }
  return all;
}
