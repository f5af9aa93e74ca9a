import isomorphic from 'isomorphic-git';
import { GitError } from '../git-error.ts';
import { covers, type ListRefs } from '../list-refs.ts';
import { askService } from './ask-service.ts';
import type { GitHttp } from './http.ts';
import { packetLine, packetLines, whole } from './packet-lines.ts';

/**
 * Lists refs of a server in one request (protocol version 2), after a first one that detects the version. isomorphic-git detects
 * it each time and takes one prefix: six requests instead of one. Older servers get requests of version 1.
 */
export function lsRefs(http: GitHttp, url: string): ListRefs {
  let version: Promise<1 | 2> | undefined;

  return async (prefixes) => {
    version ??= protocolOf(http, url);
    // A failed detection is repeated at the next call.
    version.catch(() => (version = undefined));
    const refs = (await version) === 2 ? await ask(http, url, prefixes) : await askTheOldWay(http, url, prefixes);
    return new Map([...refs].filter(([ref]) => prefixes.some((prefix) => covers(prefix, ref))));
  };
}

async function protocolOf(http: GitHttp, url: string): Promise<1 | 2> {
  const answer = await http.request({
    url: `${url}/info/refs?service=git-upload-pack`,
    method: 'GET',
    headers: { 'git-protocol': 'version=2' },
  });
  const lines = textLines(await whole(answer.body));
  if (lines.some((line) => line === 'object-format=sha256'))
    throw new GitError('sha256-repo', `${url} is a SHA-256 repository, which gitfleet cannot read: use one with SHA-1`);
  return lines.includes('version 2') && lines.some((line) => /^ls-refs(=|$)/.test(line)) ? 2 : 1;
}

async function ask(http: GitHttp, url: string, prefixes: readonly string[]): Promise<Map<string, string>> {
  const lines = ['command=ls-refs\n', 'agent=gitfleet\n'].map((line) => packetLine(Buffer.from(line)));
  const wanted = prefixes.map((prefix) => packetLine(Buffer.from(`ref-prefix ${prefix}\n`)));
  const body = Buffer.concat([...lines, Buffer.from('0001'), ...wanted, Buffer.from('0000')]);
  const headers = { 'git-protocol': 'version=2' };
  const answer = await askService(http, { url, service: 'git-upload-pack', body, headers });
  return new Map(
    textLines(answer).map((line) => {
      const [oid, ref] = line.split(' ') as [string, string | undefined];
      if (ref === undefined || !/^[0-9a-f]{40}$/.test(oid))
        throw new GitError('unreachable', `${url}: "${line.slice(0, 80)}" is not a valid response to ls-refs`);
      return [ref, oid];
    }),
  );
}

async function askTheOldWay(http: GitHttp, url: string, prefixes: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  // One advertisement has all refs: listing everything once is cheaper than once for each prefix.
  const prefix = prefixes.length === 1 ? prefixes[0] : undefined;
  for (const { ref, oid } of await isomorphic.listServerRefs({ http, url, prefix, protocolVersion: 1 }))
    found.set(ref, oid);
  return found;
}

const textLines = (answer: Buffer): string[] =>
  packetLines(answer).map((line) => line.toString('utf8').replace(/\n$/, ''));
