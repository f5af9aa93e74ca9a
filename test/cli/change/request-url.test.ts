import { describe, expect, it } from 'vitest';
import { requestUrl } from '../../../src/cli/change/request-url.ts';

const branches = { from: 'gitfleet/drain/eu-1', into: 'main' };
const github = 'https://github.com/acme/fleet/compare/main...gitfleet%2Fdrain%2Feu-1?expand=1';

describe('the page where a pull request is opened', () => {
  it.each([
    ['https://github.com/acme/fleet.git', github],
    ['https://github.com/acme/fleet/', github],
    ['git@github.com:acme/fleet.git', github],
    ['git@github.com:123/fleet.git', github.replace('acme', '123')],
    ['ssh://git@github.com:22/acme/fleet.git', github],
    [
      'git@gitlab.com:acme/platform/fleet.git',
      'https://gitlab.com/acme/platform/fleet/-/merge_requests/new?merge_request%5Bsource_branch%5D=gitfleet%2Fdrain%2Feu-1&merge_request%5Btarget_branch%5D=main',
    ],
    ['https://codeberg.org/acme/fleet', 'https://codeberg.org/acme/fleet/compare/main...gitfleet%2Fdrain%2Feu-1'],
    ['https://git.example.com/acme/fleet.git', undefined],
    ['/srv/git/github.com/fleet.git', undefined],
    ['https://github.com/fleet', undefined],
    [undefined, undefined],
  ])('of a repository at %s', (address, url) => {
    expect(requestUrl(undefined, { ...branches, address })).toBe(url);
  });

  it('is that of the forge which fleet.yaml names, wherever the repository is', () => {
    const named = { ...branches, address: 'https://github.com/acme/mirror' };
    expect(requestUrl({ kind: 'gitea', repository: 'acme/fleet', baseURL: 'https://git.acme.io' }, named)).toBe(
      'https://git.acme.io/acme/fleet/compare/main...gitfleet%2Fdrain%2Feu-1',
    );
    expect(requestUrl({ kind: 'none' }, named)).toBeUndefined();
  });
});
