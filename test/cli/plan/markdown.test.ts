import { afterEach, expect, it } from 'vitest';
import { folder, removeFolders } from '../../support/folders.ts';
import { placement, shop } from '../../support/plan-command.ts';
import { cli } from '../../support/run-cli.ts';

afterEach(removeFolders);

it('problems are listed with line, column and what to write instead', async () => {
  const repo = folder({
    'eu-1.yaml':
      'apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: eu-1, labesl: {a: b}}\n',
    'web.yaml': placement('placementType: PickAll'),
    'resources/shop.yaml': shop,
  });
  const { out } = await cli('plan', '--repo', repo, '-o', 'markdown');
  expect(out).toContain(
    '\n\n**Problems**\n- error: `eu-1.yaml:3:24` MemberCluster eu-1: there is no field labesl here. Fix: did you mean labels?\n',
  );
});

it('a refusal names what approves it', async () => {
  const files = {
    'eu-1.yaml': 'apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: eu-1}\n',
    'web.yaml': placement('placementType: PickAll'),
    'resources/shop.yaml': shop,
  };
  const [repo, now] = [folder(files), '2026-11-20T10:00:00Z'];
  const first = JSON.parse((await cli('plan', '--repo', repo, '--now', now, '-o', 'json')).out);
  const recorded = folder(first.record);
  const emptied = folder({ 'eu-1.yaml': files['eu-1.yaml'], 'resources/shop.yaml': shop });
  const ask = (...more: string[]) => cli('plan', '--repo', emptied, '--recorded', recorded, '--now', now, ...more);
  const { guard } = JSON.parse((await ask('-o', 'json')).out);
  const { code, out } = await ask('-o', 'markdown');
  expect(code).toBe(4);
  expect(out).toContain(`. To approve: a RemovalApproval with \`removalDigest: ${guard[0].removalDigest}\`\n`);
});

it('a hypothetical plan says so, and what it supposes', async () => {
  const repo = folder({
    'eu-1.yaml': 'apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: eu-1}\n',
    'web.yaml': placement('placementType: PickAll'),
    'resources/shop.yaml': shop,
  });
  const { out } = await cli('plan', '--repo', repo, '--taint', 'eu-1=full:NoSchedule', '-o', 'markdown');
  expect(out).toContain(
    '### gitfleet plan (what if): 0 to remove, 0 to update, 0 to add\n\n**What if** (hypothetical: nothing was changed)\n- eu-1 has the taint full:NoSchedule\n',
  );
});
