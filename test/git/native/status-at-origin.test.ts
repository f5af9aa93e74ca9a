import { afterAll, describe, expect, it } from 'vitest';
import { hasStatusAtOriginOnly } from '../../../src/git/native/status-at-origin.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { clone, sh } from '../../support/git-repository.ts';

afterAll(removeFolders);

const cloneOf = (origin: string): string => {
  const dir = folder();
  sh('.', 'clone', '-q', origin, dir);
  return dir;
};

describe('the status branch is at origin only', () => {
  it('in a clone of a repository that has one, until it has its own', async () => {
    const origin = clone();
    sh(origin, 'branch', 'fleet-status');
    const dir = cloneOf(origin);
    expect(await hasStatusAtOriginOnly(dir, 'fleet-status')).toBe(true);
    expect(await hasStatusAtOriginOnly(dir, 'other')).toBe(false);
    sh(dir, 'branch', 'fleet-status', 'HEAD');
    expect(await hasStatusAtOriginOnly(dir, 'fleet-status')).toBe(false);
  });

  it.each([
    ['where nothing was cloned', clone],
    ['where origin has none', () => cloneOf(clone())],
    ['where there is no repository', folder],
  ])('not %s', async (_, dir) => {
    expect(await hasStatusAtOriginOnly(dir(), 'fleet-status')).toBe(false);
  });
});
