import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { folder, removeFolders } from '../support/folders.ts';

afterAll(removeFolders);

const root = resolve(import.meta.dirname, '../..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const release = textOf('.github/workflows/release.yml');
const dockerfile = textOf('Dockerfile');

describe('the image', () => {
  it('names its base once, so that a release can pin it by digest', () => {
    expect([...dockerfile.matchAll(/^FROM (\S+)/gm)].map((match) => match[1])).toEqual([
      '${NODE_IMAGE}',
      '${NODE_IMAGE}',
    ]);
  });

  it('is built from what the Dockerfile copies and nothing else of the checkout', () => {
    const lines = textOf('.dockerignore').split('\n');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap((match) => match[1]!.split(' '));
    expect(lines).toContain('*');
    expect(copied.filter((path) => !lines.includes(`!${path}`))).toEqual([]);
  });

  it('starts, and reads a kubeconfig, without the packages that are left out of it', () => {
    const dir = folder({
      kubeconfig: 'apiVersion: v1\nkind: Config\nclusters: []\nusers: []\ncontexts: []\n',
      'try.mjs':
        "const { connectionsOf } = await import('./src/members/api-server/kubeconfig.ts');\nconsole.log((await connectionsOf('kubeconfig')).names.length);\n",
    });
    const lock = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
    const shipped = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev);
    for (const [path] of shipped)
      if (existsSync(join(root, path))) cpSync(join(root, path), join(dir, path), { recursive: true });
    symlinkSync(join(root, 'package.json'), join(dir, 'package.json'));
    cpSync(join(root, 'src'), join(dir, 'src'), { recursive: true });
    execFileSync(process.execPath, [join(root, 'deploy/prune-image.mjs'), join(dir, 'node_modules')]);
    for (const gone of ['tar-fs', 'ws', 'form-data']) expect(existsSync(join(dir, 'node_modules', gone))).toBe(false);
    const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: dir, encoding: 'utf8' });
    expect(run('try.mjs')).toBe('0\n');
    expect(run('src/main.ts', '--help')).toContain('Usage: gitfleet');
    expect(run('--input-type=module', '-e', "await import('isomorphic-git'); await import('pino-pretty');")).toBe('');
  });
});

describe('the release workflow', () => {
  it('runs no action of others', () => {
    expect(release).not.toMatch(/^\s*(- )?uses:/m);
  });

  it.each([
    'npm audit signatures',
    'npm sbom',
    '--provenance=mode=max --sbom=true',
    'npm publish --provenance',
    'NODE_IMAGE=node:24-slim@$digest',
    '@$digest|" deploy/base/deployment.yaml',
    'digest: $digest|" deploy/chart/values.yaml',
    'helm push "gitfleet-${TAG#v}.tgz" "oci://$CHARTS"',
    'cosign sign --yes "$IMAGE@$IMAGE_DIGEST"',
    'cosign sign --yes "$CHARTS/gitfleet@$CHART_DIGEST"',
  ])('has %s', (step) => {
    expect(release).toContain(step);
  });

  it('runs tests and scripts of dependencies without rights, and has the token only in steps that need it', () => {
    expect(release).toMatch(/^permissions: \{\}$/m);
    const { jobs } = parse(release) as {
      jobs: Record<string, { permissions: object; env: object; steps: { run: string }[] }>;
    };
    expect(jobs['test']!.permissions).toEqual({ contents: 'read' });
    expect(Object.values(jobs).flatMap(({ env }) => Object.keys(env))).not.toContain('GH_TOKEN');
    const installs = jobs['release']!.steps.flatMap(({ run }) => run.match(/npm (ci|install|test|run).*/g) ?? []);
    expect(installs).toEqual(['npm ci --ignore-scripts && npm audit signatures']);
  });
});
