import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { commandOf, tips } from '../../../src/cli/demo/hints.ts';
import type { Plan } from '../../../src/engine/plan-document.ts';
import { removeFolders } from '../../support/folders.ts';

afterAll(removeFolders);

const planOf = (placements: Readonly<Record<string, readonly string[]>>): Plan =>
  ({
    placements: Object.entries(placements).map(([name, clusters]) => ({
      name,
      bindings: clusters.map((clusterName) => ({ clusterName })),
    })),
    upgrades: [],
    nodes: [...new Set(Object.values(placements).flat())].map((clusterName) => ({ clusterName })),
  }) as unknown as Plan;

it('tips name the version, clusters and objects that there are', async () => {
  const repo = mkdtempSync(join(tmpdir(), 'gitfleet-tips-'));
  const shown = async (placements: Parameters<typeof planOf>[0]) =>
    (await tips(planOf(placements), { repo, kubeconfig: 'k' })).map((tip) => tip.replaceAll(repo, 'R'));
  const always = ['git -C R show fleet-status:README.md', "git -C R log -p fleet-status -- ':!*state.yaml'"];
  expect(await shown({})).toEqual(always);
  mkdirSync(join(repo, 'resources/shop'), { recursive: true });
  writeFileSync(join(repo, 'resources/shop/web.yaml'), 'image: registry.example.com/shop/web:1.3.0\n');
  expect(await shown({ shop: ['us-1', 'eu-1'], tools: ['dev-1'] })).toEqual([
    "perl -pi -e 's/web:1.3.0/web:1.4.0/' R/resources/shop/web.yaml && git -C R commit -qam 'shop 1.4.0'",
    'kubectl --kubeconfig k --context eu-1 get deploy,pods -A',
    'kubectl --kubeconfig k --context dev-1 -n tools delete deploy debug',
    'npm run -s gitfleet -- explain placement shop --repo R',
    'npm run -s gitfleet -- get nodepools --repo R',
    ...always,
  ]);
});

it('an installed gitfleet is started by its name, and the sources by npm', async () => {
  expect(commandOf('file:///opt/gitfleet/src/cli/demo/hints.ts')).toBe('npm run -s gitfleet --');
  const command = commandOf('file:///usr/lib/node_modules/gitfleet/dist/cli/demo/hints.js');
  const repo = mkdtempSync(join(tmpdir(), 'gitfleet-tips-'));
  const plan = planOf({ shop: ['eu-1'] });
  expect(await tips(plan, { repo, kubeconfig: 'k', command })).toContain(
    `gitfleet explain placement shop --repo ${repo}`,
  );
});
