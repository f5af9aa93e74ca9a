import { GitError } from '../git-error.ts';
import type { RefChange } from '../local/local-refs.ts';
import { type NewObject, packOf } from '../objects/new-objects.ts';
import { askService } from './ask-service.ts';
import type { GitHttp } from './http.ts';
import { packetLine, packetLines, whole } from './packet-lines.ts';

const noOid = '0'.repeat(40);

/**
 * Pushes one ref over smart HTTP with the expected old value, so that the server refuses it if another push was faster.
 * Written here because isomorphic-git's push walks everything reachable to find out what to send (1.5 s for a fleet of
 * 10,000 files) and offers no lease: we know exactly which objects are new, and on top of which commit.
 * Errors: `push-refused` with the output of the server and its hooks.
 */
export async function smartPush(
  http: GitHttp,
  url: string,
  change: RefChange & { readonly objects: readonly NewObject[] },
): Promise<'done' | 'moved'> {
  const advertised = await advertisement(http, url);
  const there = advertised.refs.get(change.ref);
  if (there !== change.from) return there === change.to && there !== undefined ? 'done' : 'moved';
  const command = `${change.from ?? noOid} ${change.to ?? noOid} ${change.ref}\0 report-status side-band-64k agent=gitfleet`;
  const parts = [packetLine(Buffer.from(command)), Buffer.from('0000')];
  if (change.to !== undefined) parts.push(packOf(change.objects));
  const report = readReport(await askService(http, { url, service: 'git-receive-pack', body: Buffer.concat(parts) }));
  if (report.unpack === 'ok' && report.refused === undefined && report.accepted) return 'done';
  const now = (await advertisement(http, url)).refs.get(change.ref);
  if (now === change.to) return 'done';
  if (now !== change.from) return 'moved';
  const why = [report.refused, report.unpack === 'ok' ? undefined : report.unpack, report.output]
    .filter(Boolean)
    .join(': ');
  throw new GitError('push-refused', `push ${change.ref} to ${url}: ${why || 'the server gave no reason'}`);
}

/** The refs of a server as it shows them to clients that may push. Errors: `unauthorized` for others. */
export async function advertisement(
  http: GitHttp,
  url: string,
): Promise<{ readonly refs: ReadonlyMap<string, string> }> {
  const answer = await http.request({ url: `${url}/info/refs?service=git-receive-pack`, method: 'GET' });
  const lines = packetLines(await whole(answer.body)).map((line) => line.toString('utf8').replace(/\n$/, ''));
  if (lines[0] !== '# service=git-receive-pack')
    throw new GitError('unreachable', `${url} does not speak git's smart protocol`);
  const refs = new Map<string, string>();
  for (const line of lines.slice(1)) {
    const [ref, capabilities] = line.slice(line.indexOf(' ') + 1).split('\0') as [string, string | undefined];
    if (capabilities !== undefined && /object-format=sha256/.test(capabilities))
      throw new GitError(
        'sha256-repo',
        `${url} is a SHA-256 repository, which gitfleet cannot write: use one with SHA-1`,
      );
    const oid = line.slice(0, line.indexOf(' '));
    if (oid !== noOid && oid !== '') refs.set(ref, oid);
  }
  return { refs };
}

/** Band 1 has the report, in packet lines of its own; band 2 the output of hooks; band 3 the error of the server. */
function readReport(answer: Buffer): {
  unpack: string;
  accepted: boolean;
  refused: string | undefined;
  output: string;
} {
  const report: Buffer[] = [];
  const output: Buffer[] = [];
  for (const line of packetLines(answer)) (line[0] === 1 ? report : output).push(line.subarray(1));
  const lines = packetLines(Buffer.concat(report)).map((line) => line.toString('utf8').trim());
  return {
    unpack: lines.find((line) => line.startsWith('unpack '))?.slice(7) ?? 'the server sent no report',
    accepted: lines.some((line) => line.startsWith('ok ')),
    refused: lines.find((line) => line.startsWith('ng '))?.slice(3),
    output: Buffer.concat(output).toString('utf8').trim(),
  };
}
