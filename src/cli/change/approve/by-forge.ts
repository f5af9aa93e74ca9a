import type { Forge } from '../../../forge/forge.ts';
import { hasForgeToken, networkFetch, openForge } from '../../../forge/open-forge.ts';
import { branchRef } from '../../../git/source.ts';
import { CliError } from '../../terminal/exit.ts';
import type { Desired } from '../open-desired.ts';
import { type Change, type Submitted, submit } from '../submit.ts';
import { type Merge, mergeRequest, numberOf, type Patience } from './merge-request.ts';

/**
 * The forge that merges the pull request; undefined: git merges the branch. By default the forge does for a repo that is a URL, where
 * there is a token for it. Error: CliError where it is wanted and cannot.
 */
export async function withForge<T>(
  desired: Desired,
  wanted: boolean | undefined,
  use: (forge: Forge | undefined) => Promise<T>,
): Promise<T> {
  const { branches, address = branches.name, fleet } = desired;
  if (!(wanted ?? (branches.remote && hasForgeToken(process.env)))) return use(undefined);
  const network = networkFetch();
  try {
    const named = fleet.config?.spec.forge;
    const { forge, missing } = openForge({
      named,
      repo: address,
      env: process.env,
      fetch: network.fetch,
      now: Date.now,
    });
    if (missing !== undefined) throw new CliError(`${missing}; or --no-forge, to merge by git`);
    if (wanted && forge === undefined)
      throw new CliError(
        named?.kind === 'none'
          ? '--forge: fleet.yaml says that there is none'
          : '--forge needs a token and a forge: set GITFLEET_FORGE_TOKEN_FILE, and write spec.forge in fleet.yaml unless the address of the repo names it',
      );
    return await use(forge);
  } finally {
    await network.close();
  }
}

/** A branch for an answer that no branch asks for, which the forge merges like an approval. */
export const branchFor = (answer: 'reject' | 'open', name: string): string => `gitfleet/${answer}/${name}`;

/** Makes a change by a merge of the forge: of the branch that it merges, else of one that is pushed for it and deleted afterwards. */
export const submitByForge =
  (forge: Forge, head: string, patience: Patience) =>
  async (desired: Desired, change: Change): Promise<Submitted | undefined> => {
    const pushed = change.branch === undefined ? undefined : await submit(desired, change);
    const tip = pushed === undefined ? change.merges : pushed.commit;
    if (tip === undefined) return undefined;
    const [title = '', ...body] = change.message.split('\n\n');
    const merge: Merge = { head, base: desired.branch, tip, title, body: body.join('\n\n') };
    const pull = await mergeRequest(forge, merge, patience);
    // A forge may have deleted it already.
    if (pushed) await desired.branches.change({ ref: branchRef(head), from: tip, to: undefined, objects: [] });
    const pullRequest = { number: numberOf(forge, pull), url: pull.url };
    return { branch: desired.branch, commit: undefined, files: [...change.edits.keys()], pullRequest };
  };
