import { networkFetch, openForge } from '../../src/forge/open-forge.ts';

/** Run as a process of its own, since Node reads further authorities at its start: asks a GitHub for its pull requests. */
const [baseURL = ''] = process.argv.slice(2);
const network = networkFetch();
const { forge, missing } = openForge({
  named: { kind: 'github', repository: 'acme/fleet', baseURL },
  repo: '/srv/fleet.git',
  env: process.env,
  fetch: network.fetch,
  now: Date.now,
});
const found = await forge?.listOpen('main').then(
  (pulls) => `${pulls.length} open`,
  ({ code, message }: { readonly code?: string; readonly message: string }) => `${code}: ${message}`,
);
console.log(found ?? missing);
await network.close();
