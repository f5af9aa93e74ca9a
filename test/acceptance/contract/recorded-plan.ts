import { parse } from 'yaml';
import { type Document, type Files, folder } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { app, members, placement, rolling, T0 } from '../rollout/world.ts';

/** A plan of files on a record. */
export async function plan(files: Files, record: Files, ...flags: string[]): Promise<{ code: number; plan: Document }> {
  const [repo, recorded] = [folder(files), folder(record)];
  const { out, code } = await cli(
    ...['plan', '--repo', repo, '--recorded', recorded, '--now', T0, '-o', 'json', ...flags],
  );
  return { code, plan: JSON.parse(out) };
}
/** The state of the placement web that a plan would record. */
export const stateOf = ({ plan: { record } }: { readonly plan: Document }): Document =>
  parse(record['placements/web/state.yaml']);

/** Three clusters, and a placement on two of them. */
export const shop: Files = {
  ...members('eu-1 eu-2 us-1'),
  'web.yaml': placement('{placementType: PickN, numberOfClusters: 2}', rolling(1, 1)),
  'resources/web.yaml': app('web:1'),
};
/** A record that holds the state of the placement web only. */
export const state = (body: string): Files => ({
  'placements/web/state.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: PlacementState\nmetadata: {name: web}\n${body}`,
});

/** Another placement of everything, so that the repo is not empty without the first. */
export const otherPlacement = placement('{placementType: PickAll}').replace('name: web}\nspec', 'name: other}\nspec');
