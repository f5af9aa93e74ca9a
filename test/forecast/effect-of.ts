import { type TotalEffect, totalEffect } from '../../src/forecast/total-effect.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { deployment, member, type PaperFleet, placement, treeOf } from '../support/paper-fleet.ts';

export const assumptions = {
  readyAfterMs: 60_000,
  upgradedAfterMs: 1_800_000,
  approveAfterMs: 600_000,
  untilMs: 30 * 86_400_000,
};
export type Files = Record<string, string>;

/** The total effect of replacing the files of a fleet. */
export const effectOf = async (paper: PaperFleet, files: Files): Promise<TotalEffect> =>
  totalEffect(await paper.input(), { fleet: await loadFleet(treeOf(files)), commit: 'd'.repeat(40) }, assumptions);

export const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: web}\ndata: {v: "${value}"}\n`;
export const cities = ['ams', 'fra', 'lon', 'nyc'];
/** Namespace web with what is in it, on every cluster. */
export const web = (extra = true): Files => ({
  ...Object.fromEntries(cities.map((name) => [`clusters/${name}.yaml`, member(name, { city: name })])),
  'web.yaml': placement('web', '{placementType: PickAll}'),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
  ...(extra ? { 'resources/extra.yaml': configMap('extra', '1') } : {}),
});
