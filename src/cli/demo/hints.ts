import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removalName } from '../../engine/gate/removal-approval.ts';
import { approvalBranch } from '../../engine/gate/request.ts';
import { type Plan, plannedUpgradeRuns } from '../../engine/plan-document.ts';
import type { Forge, PullRequest } from '../../forge/forge.ts';
import { openApprovals } from './settled.ts';
import type { Timeline } from './timeline.ts';

/** How to start gitfleet again: a package has it compiled, and its command works in any folder; the sources have only that of npm. */
export const commandOf = (module = import.meta.url): string =>
  module.endsWith('.ts') ? 'npm run -s gitfleet --' : 'gitfleet';

export interface Watching {
  readonly plan: () => Plan | undefined;
  readonly next: () => Promise<void>;
  readonly output: Timeline;
  readonly repo: string;
  readonly forge: Forge;
}

/** The pull request that requests an approval, once the daemon has opened it. */
export const requestOf = async (forge: Forge, name: string): Promise<PullRequest | undefined> =>
  (await forge.find({ head: approvalBranch({ name }), base: 'main' })).find(({ state }) => state === 'open');

/** Prints how to approve a new request, and what to try once nothing more happens by itself. */
export async function hintWhenQuiet(input: Watching & { readonly kubeconfig: string }): Promise<never> {
  const { plan, next, output, repo, forge, kubeconfig } = input;
  const command = commandOf();
  const hinted = new Set<string>();
  for (;;) {
    // The pull request is opened after the reconciliation. The timer keeps no demo alive that was stopped.
    await Promise.race([next(), new Promise((done) => setTimeout(done, 500).unref())]);
    const present = plan();
    if (!present) continue;
    const asked = [
      ...openApprovals(present).map((name) => [name, 'The staged run waits for your approval'] as const),
      ...removalsOf(present),
    ];
    for (const [name, why] of asked) {
      if (hinted.has(name)) continue;
      const pull = await requestOf(forge, name);
      if (!pull) continue;
      hinted.add(name);
      output.hint(`${why}: its pull request is ${pull.url}. Approve it with`, [
        `${command} approve ${name} --repo ${repo}`,
      ]);
    }
    const quiet = present.placements.every((placement) => placement.bindings.every(({ move }) => move === 'keep'));
    if ((quiet || asked.length > 0) && !hinted.has('')) {
      hinted.add('');
      output.hint('Things to try in another terminal', await tips(present, { repo, kubeconfig }));
    }
  }
}

/** Removals that the guard refuses, and those that are held. */
const removalsOf = ({ guard, holds }: Plan): readonly (readonly [name: string, why: string])[] => [
  ...guard.flatMap(({ removalDigest }) =>
    removalDigest ? [[removalName(removalDigest), 'The plan is refused until you approve the removal'] as const] : [],
  ),
  ...holds.flatMap(({ removalDigest }) =>
    removalDigest ? [[removalName(removalDigest), 'A removal waits for your approval'] as const] : [],
  ),
];

/** What can be tried with the fleet as it is now: after `--dir` it may be another one than the example. */
export async function tips(
  { placements, ...plan }: Pick<Plan, 'placements' | 'upgrades' | 'nodes'>,
  {
    repo,
    kubeconfig,
    command = commandOf(),
  }: { readonly repo: string; readonly kubeconfig: string; readonly command?: string },
): Promise<string[]> {
  const isOn = (name: string, cluster: string): boolean =>
    placements.some((it) => it.name === name && it.bindings.some(({ clusterName }) => clusterName === cluster));
  const shop = placements.find(({ name }) => name === 'shop');
  const [shopCluster] = shop?.bindings.map(({ clusterName }) => clusterName).sort() ?? [];
  const web = await readFile(join(repo, 'resources/shop/web.yaml'), 'utf8').catch(() => '');
  const [image, minor] = /web:1\.(\d+)\.\d+/.exec(web) ?? [];
  const next = `1.${Number(minor) + 1}.0`;
  const [upgrade] = plannedUpgradeRuns(plan);
  return [
    ...(image === undefined
      ? []
      : [
          `perl -pi -e 's/${image}/web:${next}/' ${repo}/resources/shop/web.yaml && git -C ${repo} commit -qam 'shop ${next}'`,
        ]),
    ...(shopCluster === undefined
      ? []
      : [`kubectl --kubeconfig ${kubeconfig} --context ${shopCluster} get deploy,pods -A`]),
    ...(isOn('tools', 'dev-1')
      ? [`kubectl --kubeconfig ${kubeconfig} --context dev-1 -n tools delete deploy debug`]
      : []),
    ...(shop === undefined ? [] : [`${command} explain placement shop --repo ${repo}`]),
    ...(upgrade === undefined ? [] : [`${command} describe upgrade ${upgrade.name} --repo ${repo}`]),
    ...(plan.nodes.length === 0 ? [] : [`${command} get nodepools --repo ${repo}`]),
    `git -C ${repo} show fleet-status:README.md`,
    `git -C ${repo} log -p fleet-status -- ':!*state.yaml'`,
  ];
}
