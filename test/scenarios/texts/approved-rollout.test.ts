import { expect, it } from 'vitest';
import { memoryHost } from '../../forge/git-host.ts';
import { TestForge } from '../../forge/test-forge.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';

const run = (name: string): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: ${name}}\nspec: {placementName: web, stagedRolloutStrategyName: careful}\n`;

const strategy = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: careful}
spec:
  stages:
  - name: staging
    labelSelector: {matchLabels: {env: staging}}
    afterStageTasks: [{type: TimedWait, waitTime: 1h}]
  - name: canary
    labelSelector: {matchLabels: {env: canary}}
    afterStageTasks: [{type: Approval}]
  - name: production
    labelSelector: {matchLabels: {env: production}}
    sortingLabelKey: order
`;

it('a rollout over staging, canary and production, from commit to finished, as status commits and pull requests show it', async () => {
  const fleet = await VirtualFleet.open(
    {
      'fleet.yaml':
        'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {forge: {kind: github, repository: acme/fleet, baseURL: "https://forge.example"}}\n',
      'clusters/staging.yaml': member('stage-1', { env: 'staging' }),
      'clusters/canary.yaml': member('canary-1', { env: 'canary' }),
      'clusters/eu.yaml': member('prod-eu', { env: 'production', order: '2' }),
      'clusters/us.yaml': member('prod-us', { env: 'production', order: '1' }),
      'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
      'strategy.yaml': strategy,
      'runs/web-1.yaml': run('web-1'),
    },
    ...['stage-1', 'canary-1', 'prod-eu', 'prod-us'],
  );
  const forge = new TestForge('github', memoryHost(fleet.repo), () => fleet.clock.now());
  try {
    const told: string[] = [];
    let seen = '';
    let state = '';
    let status: string | undefined;
    const watch = async (): Promise<void> => {
      const tip = fleet.repo.tip('fleet-status');
      const fresh: string[] = [];
      for (let oid = tip; oid !== undefined && oid !== status; ) {
        const { message, parents } = await fleet.repo.objects.commit(oid);
        const text = message.split('\n[skip ci]')[0]!.trim();
        // It adds the link of the pull request, about when that is looked at.
        if (text !== 'Update status') fresh.unshift(`## Status commit\n\n~~~\n${text}\n~~~`);
        oid = parents[0];
      }
      status = tip;
      told.push(...fresh);
      const pull = forge.pulls.at(-1);
      const shown = pull ? `${pull.title}\n\n${pull.body.trim()}` : '';
      if (shown !== seen) told.push(`## Pull request ${pull?.number}: ${shown}`);
      if (pull && pull.state !== state) told.push(`## Pull request ${pull.number} is ${pull.state}`);
      state = pull?.state ?? '';
      seen = shown;
    };
    const until = (what: string, holds: () => boolean) =>
      fleet.until(
        what,
        async () => {
          await watch();
          return holds();
        },
        10_000,
      );
    const asked = (count: number) => until('the approval is asked', () => forge.pulls.length === count);
    const finished = (image: string) =>
      until(`all run ${image}`, () =>
        ['stage-1', 'canary-1', 'prod-eu', 'prod-us'].every((name) =>
          JSON.stringify(fleet.stored(name, 'apps/deployments', 'web', 'web') ?? {}).includes(image),
        ),
      );
    fleet.start({ forge });
    await asked(1);
    await forge.merge(1, 'merge commit', 'Approve web-1-after-canary');
    await finished('web:1');
    await fleet.run(600);
    await watch();
    told.length = 0;
    fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2'), 'runs/web-2.yaml': run('web-2') }, 'web 2');
    await asked(2);
    await fleet.run(120);
    await watch();
    await forge.merge(2, 'merge commit', 'Approve web-2-after-canary');
    await finished('web:2');
    await fleet.run(600);
    await watch();
    // Instants of commits depend on how often the test looks.
    const text = told.join('\n\n').replace(/\b[0-9a-f]{7}\b/g, '41ab9c0');
    await expect(`${text}\n`).toMatchFileSnapshot('approved-rollout.golden.md');
  } finally {
    await fleet.close();
  }
});
