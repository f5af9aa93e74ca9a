import { expect, it } from 'vitest';
import { openPull } from '../../../src/simulator/forge/dialect.ts';
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

it('a rollout over staging, canary and production, from its pull request to finished, as status commits and pull requests show it', async () => {
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
    const seen = new Map<string, string>();
    /** Of something that may be edited, whenever it is another text. */
    const tell = (what: string, text: string): void => {
      if (seen.get(what) !== text) told.push(`## ${text}`);
      seen.set(what, text);
    };
    let status: string | undefined;
    const watch = async (): Promise<void> => {
      const tip = fleet.repo.tip('fleet-status');
      const fresh: string[] = [];
      for (let oid = tip; oid !== undefined && oid !== status; ) {
        const { message, parents } = await fleet.repo.objects.commit(oid);
        const text = message.split('\n[skip ci]')[0]!.trim();
        // It adds the link of the pull request, about when that is looked at.
        if (!text.endsWith(': pull request open')) fresh.unshift(`## Status commit\n\n~~~\n${text}\n~~~`);
        oid = parents[0];
      }
      status = tip;
      told.push(...fresh);
      for (const { number, title, body, comments, state } of forge.pulls) {
        tell(`${number}`, `Pull request ${number}: ${title}\n\n${body.trim()}`.trim());
        for (const { id, body } of comments) tell(`${id}`, `Comment on pull request ${number}\n\n${body.trim()}`);
        tell(`${number} state`, `Pull request ${number} is ${state}`);
      }
      for (const [at, { commit, context, state, description }] of forge.statuses.entries()) {
        const { number } = forge.pulls.find(({ headCommit }) => headCommit === commit)!;
        tell(`status ${at}`, `Commit status ${context} of pull request ${number}: ${state}, ${description}`);
      }
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
    const isOpen = (start: string) =>
      forge.pulls.some(({ title, state }) => title.startsWith(start) && state === 'open');
    const approve = async (run: string) => {
      await until(`${run} asks`, () => isOpen(`Approve ${run}:`));
      await fleet.run(120);
      await watch();
      await forge.merge(forge.pulls.at(-1)!.number, 'merge commit', `Approve ${run}-after-canary`);
    };
    const finished = (image: string) =>
      until(`all run ${image}`, () =>
        ['stage-1', 'canary-1', 'prod-eu', 'prod-us'].every((name) =>
          JSON.stringify(fleet.stored(name, 'apps/deployments', 'web', 'web') ?? {}).includes(image),
        ),
      );
    fleet.start({ forge });
    await approve('web-1');
    await finished('web:1');
    await fleet.run(600);
    await watch();
    told.length = 0;
    const files = await fleet.repo.files('main');
    const proposed = { 'resources/web.yaml': deployment('web', 'web', 'web:2'), 'runs/web-2.yaml': run('web-2') };
    fleet.repo.commit('web-2', { ...files, ...proposed }, 'web 2', [fleet.repo.tip('main')!]);
    const { number } = openPull(forge, { head: 'web-2', base: 'main', title: 'web 2', body: '' });
    await until('it has a preview', () => forge.pull(number).comments.length > 0);
    await fleet.run(60);
    await watch();
    await forge.merge(number, 'squash', 'web 2');
    await approve('web-2');
    await finished('web:2');
    await fleet.run(600);
    await watch();
    // Instants of commits depend on how often the test looks.
    const text = told
      .join('\n\n')
      .replace(/\b[0-9a-f]{7}(?:[0-9a-f]{5})?\b/g, '41ab9c0')
      .replace(/(in commit 41ab9c0, )[^ ]*Z\./g, '$12026-11-20T12:16:22Z.');
    await expect(`${text}\n`).toMatchFileSnapshot('approved-rollout.golden.md');
  } finally {
    await fleet.close();
  }
});
