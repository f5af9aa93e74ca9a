import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { folder, put, removeFolders } from '../support/folders.ts';
import { cli } from '../support/run-cli.ts';

afterAll(removeFolders);

const wrong = {
  'none.yaml': '# no fleet yet\n',
  'other.yaml': 'apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: eu-1}\nspec: {}\n',
  'typo.yaml': 'apiVersion: gitfleet.dev/v1alpha1\nkind: SimulatedFleet\nspec:\n  members: [{name: eu-1, nodez: []}]\n',
};

const dir = folder();
put(dir, wrong);
const file = (name: string) => join(dir, name);

describe('a file that is no SimulatedFleet ends the command with exit code 2, its place and what to write', () => {
  it.each([
    ['none.yaml', ':1:1: error[no-simulated-fleet]: this file does not contain a SimulatedFleet'],
    ['other.yaml', ':1:1: error[no-simulated-fleet]: this file does not contain a SimulatedFleet'],
    ['typo.yaml', ':4:26: error[unknown-field]: '],
  ])('%s', async (name, reported) => {
    const args = ['--simulated-fleet', file(name)];
    const simulate = await cli('simulate', ...args, '--kubeconfig', file('kubeconfig'));
    expect(simulate).toMatchObject({ code: 2, out: '', err: expect.stringContaining(`${file(name)}${reported}`) });
    const run = await cli('run', '--once', '--repo', dir, '--members', 'simulated', ...args);
    expect(run).toEqual(simulate);
  });

  it('one that is not there ends with 3', async () => {
    const ran = await cli('simulate', '--simulated-fleet', file('nothing.yaml'), '--kubeconfig', file('kubeconfig'));
    expect(ran).toMatchObject({ code: 3, out: '', err: expect.stringContaining('no such file or directory') });
  });
});

it('simulate ends at once when the kubeconfig cannot be written, or the port is taken', async () => {
  put(dir, {
    'fleet.yaml':
      'apiVersion: gitfleet.dev/v1alpha1\nkind: SimulatedFleet\nmetadata: {name: t}\nspec: {members: [{name: eu-1}]}\n',
  });
  const args = ['simulate', '--simulated-fleet', file('fleet.yaml')];
  expect(await cli(...args, '--kubeconfig', file('none/kubeconfig'))).toEqual({
    code: 3,
    out: '',
    err: `gitfleet: ${file('none/kubeconfig')} cannot be written: no such file or directory\n`,
  });
  const other = createServer();
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  const { port } = other.address() as AddressInfo;
  const ran = await cli(...args, '--kubeconfig', file('kubeconfig'), '--port', String(port));
  other.close();
  const reported = 'another program listens there, perhaps another gitfleet: choose another with --listen';
  expect(ran).toEqual({
    code: 3,
    out: '',
    err: expect.stringContaining(`127.0.0.1:${port} cannot be taken: ${reported}`),
  });
});
