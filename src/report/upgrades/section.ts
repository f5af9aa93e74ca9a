import { sourceOf } from '../../engine/problem-of.ts';
import { recordedObjects } from '../../repo/record/recorded-objects.ts';
import { type Line, mostRows, type Section, type SectionSource } from '../sections/section.ts';
import { upgradeNow } from './now.ts';
import { upgradeBrings, upgradeProgress } from './progress.ts';

/** Cluster update runs that are not done, and those that failed. */
export const clusterUpgrades: SectionSource = ({ inEffect, fleet }): Section => {
  const open = [...recordedObjects('upgrades', inEffect)].filter(
    ([, { value }]) =>
      value.status && value.status.status.state !== 'Completed' && value.status.status.state !== 'Skipped',
  );
  const cells = open.slice(0, mostRows).map(([name, { path, value }]): Line[] => {
    const { done, total, failed } = upgradeProgress(value.status!);
    return [
      [{ link: name, path }],
      [upgradeBrings(value)],
      [`${done} / ${total}`],
      [failed === 0 ? '' : `${failed}`],
      [upgradeNow(value, sourceOf(fleet, { kind: value.kind, name })?.file)],
    ];
  });
  return {
    title: 'Cluster upgrades',
    intro: 'A run upgrades clusters stage by stage. Done are clusters that have the new version or were skipped.',
    rows: { kind: 'table', headings: ['run', 'brings', 'clusters done', 'failed', 'now'], cells },
    attention: open.filter(([, { value }]) => value.status!.status.state === 'Failed').length,
    folder: 'upgrades',
    total: open.length,
  };
};
