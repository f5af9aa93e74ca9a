import type { Forge } from '../../forge/forge.ts';
import { networkFetch, openForge } from '../../forge/open-forge.ts';
import type { Branches } from '../../git/branches.ts';
import { mergeBranch } from '../../git/local/worktree.ts';
import { giteaDialect } from '../../simulator/forge/gitea-dialect.ts';
import { rightToken, SimulatedForge } from '../../simulator/forge/simulated-forge.ts';
import { openClone } from '../fleet-repo/open-git.ts';

export interface DemoForge {
  readonly forge: Forge;
  close(): Promise<void>;
}

/** A forge in this process that speaks Gitea's API over HTTP and merges in the repo of the demo, as the user of git. */
export async function openDemoForge(repo: string): Promise<DemoForge> {
  const branches = await openClone(repo);
  const host = {
    tips: () => tipsOf(branches),
    merge: async (head: string, _base: string, _how: string, title = `Merge ${head}`) =>
      void (await mergeBranch(repo, head, title)),
    mergerOf: (commit: string, base: string) => mergerOf(branches, commit, base),
  };
  const simulated = new SimulatedForge(giteaDialect, host, Date.now);
  const server = await simulated.listen();
  simulated.web = `${server.url}/demo/fleet`;
  const network = networkFetch();
  const { forge } = openForge({
    named: { kind: 'gitea', repository: 'demo/fleet', baseURL: server.url },
    repo,
    env: { GITFLEET_FORGE_TOKEN: rightToken, GITFLEET_FORGE_HOST: new URL(server.url).host },
    fetch: network.fetch,
    now: Date.now,
  });
  return {
    forge: forge!,
    async close() {
      await network.close();
      await server.close();
      await branches.close();
    },
  };
}

const prefix = 'refs/heads/';

/** The author of the commit that brought it; a fast-forward names nobody else. */
async function mergerOf(branches: Branches, commit: string, base: string): Promise<string | undefined> {
  let oid = (await branches.list([`${prefix}${base}`])).get(`${prefix}${base}`);
  for (let looked = 0; oid !== undefined && looked < mostLooked; looked++) {
    const { parents, author } = await branches.objects.commit(oid);
    if (oid === commit || parents.slice(1).includes(commit)) return author.name;
    oid = parents[0];
  }
  return undefined;
}

/** Commits of the branch that may have followed before the forge looks. */
const mostLooked = 100;

const tipsOf = async (branches: Branches): Promise<Map<string, string>> =>
  new Map([...(await branches.list([prefix]))].map(([ref, tip]) => [ref.slice(prefix.length), tip]));
