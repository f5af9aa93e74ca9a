import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from '../../api/meta.ts';
import { describeRef, refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../../members/api-server/api-error.ts';
import type { MemberClient } from '../../members/api-server/client.ts';
import { pathOf } from '../../members/api-server/served-kind.ts';
import { withoutManagers } from '../../members/apply/field-managers.ts';
import { sleep, systemClock } from '../../members/clock.ts';
import { guessedPlural } from '../../members/rights.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { account } from './member-account.ts';

/** Not `gitfleet`, whose objects are those of placements. */
const fieldManager = 'gitfleet-join';
/** A controller of the member issues the token; it takes seconds at most. Milliseconds. */
const tokenMs = 30_000;
const tokenEveryMs = 250;

/** Applies one object of the account. Errors: ApiError, with what is missing; UnreachableError. */
export async function applyOfAccount(
  client: MemberClient,
  manifest: Manifest,
): Promise<'created' | 'changed' | 'unchanged'> {
  const path = pathOfManifest(manifest);
  const what = describeRef(refOfManifest(manifest));
  const before = await found(client, path, what);
  const after = await client.object({
    method: 'PATCH',
    path: `${path}?${new URLSearchParams({ fieldManager, force: 'true' })}`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(manifest),
    tried: `apply ${what}`,
  });
  if (before === undefined) return 'created';
  return isDeepStrictEqual(content(before), content(after)) ? 'unchanged' : 'changed';
}

/** Without the server's bookkeeping: the second apply of an object without fields of ours, as the Namespace, changes only that. */
function content(object: Manifest): Manifest {
  const { resourceVersion: _, ...metadata } = object.metadata as Readonly<Record<string, unknown>>;
  return withoutManagers({ ...object, metadata } as Manifest);
}

/** The token that the member issued for the account. Errors: CliError when it issues none; ApiError, UnreachableError. */
export async function issuedToken(client: MemberClient): Promise<string> {
  const { namespace, token: name } = account;
  const path = pathOfManifest({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } });
  const end = Date.now() + tokenMs;
  for (;;) {
    const secret = await client.object({ method: 'GET', path, tried: `read Secret ${namespace}/${name}` });
    const { token } = (secret['data'] ?? {}) as { readonly token?: unknown };
    if (typeof token === 'string') return Buffer.from(token, 'base64').toString('utf8');
    if (Date.now() > end)
      throw new CliError(
        `${client.name} has not issued a token for Secret ${namespace}/${name} within ${tokenMs / 1000} s: is its token controller running?`,
        exitCodes.unreachable,
      );
    await sleep(systemClock, tokenEveryMs);
  }
}

async function found(client: MemberClient, path: string, what: string): Promise<Manifest | undefined> {
  try {
    return await client.object({ method: 'GET', path, tried: `read ${what}` });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** The kinds of the account are those of every Kubernetes. */
function pathOfManifest({ apiVersion, kind, metadata }: Manifest): string {
  const namespaced = metadata.namespace !== undefined;
  return pathOf({ apiVersion, kind, plural: guessedPlural(kind), namespaced, verbs: [] }, metadata);
}
