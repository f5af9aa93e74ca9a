import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { folder, removeFolders } from '../../support/folders.ts';
import { gitThere, sh } from '../../support/git-repository.ts';
import { cli } from '../../support/run-cli.ts';

afterAll(removeFolders);

it.skipIf(!gitThere)('in a clone, a fleet is a folder of it: no repo of its own, and commands name it', async () => {
  const dir = folder();
  sh(dir, 'init', '-q', '-b', 'trunk');
  const { out } = await cli('init', join(dir, 'apps/fleet'));
  expect(out).toContain(`${dir} has a fleet in apps/fleet now:`);
  expect(out).toContain('gitfleet validate --path apps/fleet && gitfleet plan --path apps/fleet');
  for (const command of ['join CONTEXT --name eu-1', 'check', 'run'])
    expect(out).toContain(`gitfleet ${command} --path apps/fleet --branch trunk --members apps/fleet/kubeconfigs`);
  expect(readFileSync(join(dir, 'apps/fleet/README.md'), 'utf8')).toContain('reads the branch trunk,');
  expect(existsSync(join(dir, 'apps/fleet/.git'))).toBe(false);
  expect(readFileSync(join(dir, 'apps/fleet/.gitignore'), 'utf8')).toContain('/kubeconfigs/');
});
