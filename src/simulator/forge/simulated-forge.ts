import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answered, Dialect, ForgeState, MergeMethod, StoredPull, StoredStatus } from './dialect.ts';

/** The repository behind a forge: what its merge button does. */
export interface GitHost {
  /** Tips of all branches by name. */
  tips(): ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>;
  /** Moves `base`. */
  merge(head: string, base: string, how: MergeMethod, title?: string): Promise<void>;
  /** Who merged a commit into a branch by git; undefined: it is not there. */
  mergerOf?(commit: string, base: string): Promise<string | undefined>;
}

export interface AskedOverHttp {
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface AnsweredOverHttp extends Answered {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The token of the one account that there is. */
export const rightToken = 'right-token';

/** A forge in this process, in one dialect: pull requests of one repository, in memory. */
export class SimulatedForge implements ForgeState {
  readonly pulls: StoredPull[] = [];
  readonly statuses: StoredStatus[] = [];
  readonly git: GitHost;
  missing = 'At least 1 approving review is required';
  web = 'https://forge.example/acme/fleet';
  protected readonly dialect: Dialect;
  readonly #now: () => number;
  #tips: ReadonlyMap<string, string> = new Map();
  #lastId = 0;

  /** `now`: milliseconds since the epoch. */
  constructor(dialect: Dialect, git: GitHost, now: () => number) {
    this.dialect = dialect;
    this.git = git;
    this.#now = now;
  }

  /** As of the last request. */
  tip(branch: string): string | undefined {
    return this.#tips.get(branch);
  }

  now(): string {
    return new Date(this.#now()).toISOString();
  }

  newId(): number {
    return ++this.#lastId;
  }

  pull(number: number): StoredPull {
    return this.pulls.find((pull) => pull.number === number)!;
  }

  /** Closed ones keep their commit; a forge closes those whose branch is gone, GitLab does not. */
  async refresh(): Promise<void> {
    this.#tips = await this.git.tips();
    for (const pull of this.pulls) {
      if (pull.state !== 'open' || pull.fork) continue;
      const tip = this.tip(pull.head);
      if (tip !== undefined) pull.headCommit = tip;
      else if (this.dialect.closesWithBranch) {
        const merger = await this.git.mergerOf?.(pull.headCommit, pull.base);
        if (merger !== undefined) pull.mergedBy = merger;
        pull.state = merger === undefined ? 'closed' : 'merged';
      }
    }
  }

  /** The merge button: false where the forge says 405, not yet. */
  async merge(number: number, how: MergeMethod, title?: string): Promise<boolean> {
    const pull = this.pull(number);
    await this.refresh();
    // First, as a daemon that sees the merge deletes the branch.
    pull.state = 'merged';
    await this.git.merge(pull.head, pull.base, how, title);
    return true;
  }

  async answer({ method, path, headers, body }: AskedOverHttp): Promise<AnsweredOverHttp> {
    const { pathname, searchParams } = new URL(path, 'http://forge');
    const isRead = method === 'GET' && !pathname.startsWith(`${this.dialect.root}/`);
    const page = /\/pulls\/(\d+)$/.exec(pathname)?.[1];
    if (isRead && page) return pageOf(this, page);
    if (isRead && pagesOfList.test(pathname)) return listOf(this);
    const below = pathname.slice(this.dialect.root.length);
    if (this.dialect.tokenOf(headers, below) !== rightToken)
      return { status: 401, body: { message: 'Bad credentials' } };
    const matched = matchedOperation(Object.keys(this.dialect.operations), method, below);
    if (matched === undefined) return { status: 404, body: { message: 'Not Found' } };
    const sent = body === undefined ? undefined : JSON.parse(body);
    this.asked(matched.operation, searchParams, sent);
    await this.refresh();
    const query = Object.fromEntries(searchParams);
    const answered = await this.dialect.operations[matched.operation]!({
      forge: this,
      params: matched.params,
      query,
      body: sent ?? {},
      json: sent ?? {},
    });
    this.answered(matched.operation, answered);
    return answered;
  }

  /** For tests, which compare requests and answers with what the forge describes. */
  protected asked(_operation: string, _query: URLSearchParams, _body: unknown): void {}
  protected answered(_operation: string, _answer: Answered): void {}

  /** Serves it over HTTP. Resolves with the URL and how to stop it. */
  async listen(): Promise<{ readonly url: string; close(): Promise<void> }> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      try {
        const { status, headers, body } = await this.answer({
          method: request.method!,
          path: request.url!,
          headers: request.headers as Record<string, string>,
          body: Buffer.concat(chunks).toString('utf8') || undefined,
        });
        response.writeHead(status, headers).end(textOf(body));
      } catch (error) {
        this.failed(error, (text) => (text === undefined ? response.destroy() : response.writeHead(500).end(text)));
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    };
  }

  /** How a request that could not be answered ends: with a text, or without an answer. */
  protected failed(error: unknown, end: (text?: string) => void): void {
    end(String(error));
  }
}

/** JSON, or text as it is. */
export const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

const asText = { 'content-type': 'text/plain; charset=utf-8' };

/** The start page, that of the repository, and its list of pull requests. */
const pagesOfList = /^\/(?:[^/]+\/[^/]+(?:\/pulls)?)?\/?$/;

/** All pull requests, the newest first, with their addresses. */
async function listOf(forge: SimulatedForge): Promise<AnsweredOverHttp> {
  await forge.refresh();
  const lines = forge.pulls.map((pull) => `${titleOf(pull)}\n  ${forge.web}/pulls/${pull.number}\n`).reverse();
  return { status: 200, headers: asText, body: lines.join('\n') || 'There are no pull requests yet.\n' };
}

/** What a reviewer reads: title, state and text of a pull request. */
async function pageOf(forge: SimulatedForge, number: string): Promise<AnsweredOverHttp> {
  await forge.refresh();
  const pull = forge.pull(Number(number));
  if (pull === undefined) return { status: 404, headers: asText, body: 'There is no such pull request.\n' };
  return { status: 200, headers: asText, body: `${titleOf(pull)}\n\n${pull.body}\n` };
}

/** `#1 Approve web-1 (merged by Ann)` */
const titleOf = ({ number, title, state, mergedBy }: StoredPull): string =>
  `#${number} ${title} (${mergedBy === undefined ? state : `${state} by ${mergedBy}`})`;

export interface Matched {
  /** `GET /repos/{owner}/{repo}/pulls` */
  readonly operation: string;
  /** Parts of the path by name, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** The operation of a request, by templates such as `GET /repos/{owner}/{repo}/pulls`. */
export function matchedOperation(operations: readonly string[], method: string, path: string): Matched | undefined {
  const parts = path.split('/');
  for (const operation of operations) {
    const template = operation.split(' ')[1]!.split('/');
    if (!operation.startsWith(`${method} `) || template.length !== parts.length) continue;
    if (!template.every((part, at) => part.startsWith('{') || part === parts[at])) continue;
    const params = template.flatMap((part, at) =>
      part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(parts[at]!)]] : [],
    );
    return { operation, params: Object.fromEntries(params) };
  }
  return undefined;
}
