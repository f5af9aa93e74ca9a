import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { sh } from '../support/git-repository.ts';

const main = resolve(import.meta.dirname, '../../src/main.ts');

const run = (args: readonly string[]): Promise<{ code: number | null; out: string }> =>
  new Promise((done) => {
    const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, NO_COLOR: '1' } });
    let out = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (out += chunk));
    child.on('close', (code) => done({ code, out }));
  });

describe('the demo, as someone starts it', () => {
  let dir: string;
  let told: string;
  let code: number | null;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gitfleet-e2e-'));
    const result = await run(['demo', '--dir', dir, '--exit-when-settled', '--speed', '30']);
    told = result.out;
    code = result.code;
  }, 110_000);
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('settles, prints its events in order, and exits with 0', () => {
    expect(code, told).toBe(0);
    const at = (text: string): number => {
      expect(told).toContain(text);
      return told.indexOf(text);
    };
    const story = [
      'picked prod',
      'stage staging: started',
      'merge gitfleet/approve/payments-1-after-staging by its pull request http://127.0.0.1',
      'payments-1-after-staging: approved by ',
      'stage production: started',
      'the run is complete',
      'Everything is done.',
    ];
    const consolidation = [
      'check before removing node-0, node-1 (Underutilized), saves 420.48 USD a month',
      'launch replacements for node-0, node-1',
      '✓ node-0, node-1 removed, saves 420.48 USD a month',
      'Everything is done.',
    ];
    for (const events of [story, consolidation]) {
      const places = events.map(at);
      expect(places).toEqual([...places].sort((a, b) => a - b));
    }
  });

  it('leaves a status branch that the other commands read', async () => {
    const repo = join(dir, 'fleet');
    const placements = await run(['get', 'placements', '--repo', repo]);
    expect(
      placements.out.split('\n').map((line) =>
        line
          .split(/\s{2,}/)
          .slice(0, 4)
          .join(' '),
      ),
    ).toEqual([
      'NAME CLUSTERS SNAPSHOT REASON',
      'monitoring 8/8 0 <none>',
      'node-pools 1/1 0 <none>',
      'payments 6/6 0 <none>',
      'shop 3/3 0 <none>',
      'tools 2/2 0 <none>',
      '',
    ]);
    const ahead = sh(repo, 'log', '--all', '--format=%at %ct')
      .split(/\s/)
      .filter((at) => Number(at) * 1000 > Date.now());
    expect(ahead).toEqual([]);
    const runs = await run(['get', 'runs', '--repo', repo]);
    expect(runs.out.split('\n')[0]?.split(/\s{2,}/)).toEqual([
      'NAME',
      'PLACEMENT',
      'RESOURCE-SNAPSHOT-INDEX',
      'POLICY-SNAPSHOT-INDEX',
      'INITIALIZED',
      'SUCCEEDED',
      'AGE',
    ]);
    expect(
      runs.out
        .split('\n')[1]
        ?.split(/\s{2,}/)
        .slice(0, 6),
    ).toEqual(['payments-1', 'payments', '0', '0', 'True', 'True']);
    const plan = await run(['plan', '--repo', repo]);
    expect(plan.out).toContain('0 to add, 0 to update, 0 to remove, 0 waiting');
    expect(plan.code).toBe(0);
  });

  it('resumes when it is started again in the same directory', async () => {
    const again = await run(['demo', '--dir', dir, '--exit-when-settled', '--speed', '30']);
    expect(again.code, again.out).toBe(0);
    expect(again.out).toContain('continuing');
  });
});
