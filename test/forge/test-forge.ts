import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ForgeFetch } from '../../src/forge/http.ts';
import { describedApi, Mistake } from './api-check.ts';
import type { Dialect, DialectName, StoredPull, StoredStatus } from './dialect.ts';
import type { GitHost, MergeMethod } from './git-host.ts';
import { giteaDialect, githubDialect } from './github-like.ts';
import { gitlabDialect } from './gitlab-dialect.ts';

const dialects: Readonly<Record<DialectName, Dialect>> = {
  github: githubDialect,
  gitlab: gitlabDialect,
  gitea: giteaDialect,
  forgejo: giteaDialect,
};

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or text as it is. */
  readonly body: unknown;
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** What goes wrong with a request: an answer of its own, no answer without or with its effect. */
export type Fault = Answer | 'not sent' | 'answer lost' | 'hangs';

/** A forge in this process, in one dialect: pull requests of one repository. Requests and answers are checked. */
export class TestForge {
  readonly pulls: StoredPull[] = [];
  readonly statuses: StoredStatus[] = [];
  /** `METHOD /path` of every request, also of failed ones. */
  readonly requests: string[] = [];
  /** Headers of every request. */
  readonly sent: Readonly<Record<string, string>>[] = [];
  fault: (request: { readonly method: string; readonly path: string }) => Fault | undefined = () => undefined;
  refusedMerges = 0;
  missing = 'At least 1 approving review is required';
  readonly git: GitHost;
  readonly #dialect: Dialect;
  readonly #api: ReturnType<typeof describedApi>;
  readonly #now: () => number;
  #lastId = 0;

  constructor(dialect: DialectName, git: GitHost, now: () => number) {
    this.git = git;
    this.#now = now;
    this.#dialect = dialects[dialect];
    this.#api = describedApi(dialect);
  }

  tip(branch: string): string | undefined {
    return this.git.tips().get(branch);
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
  refresh(): void {
    const tips = this.git.tips();
    for (const pull of this.pulls) {
      if (pull.state !== 'open' || pull.fork) continue;
      const tip = tips.get(pull.head);
      if (tip !== undefined) pull.headCommit = tip;
      else if (this.#dialect.closesWithBranch) pull.state = 'closed';
    }
  }

  /** The merge button: false where the forge says 405, not yet. */
  async merge(number: number, how: MergeMethod, title?: string): Promise<boolean> {
    if (this.refusedMerges-- > 0) return false;
    const pull = this.pull(number);
    this.refresh();
    // First, as a daemon that sees the merge deletes the branch.
    pull.state = 'merged';
    await this.git.merge(pull.head, pull.base, how, title);
    return true;
  }

  async #answer({ method, url, headers, body }: Asked): Promise<Answer> {
    const { pathname, searchParams } = new URL(url);
    const path = pathname.slice(this.#dialect.root.length);
    this.requests.push(`${method} ${path}`);
    this.sent.push(headers);
    const fault = this.fault({ method, path });
    if (fault === 'not sent') throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    if (fault === 'hangs') return new Promise(() => {});
    if (typeof fault === 'object') return fault;
    if (this.#dialect.tokenOf(headers, path) !== 'right-token')
      return { status: 401, body: { message: 'Bad credentials' } };
    const { operation, params } = this.#api.match(method, path);
    const sent = body === undefined ? undefined : JSON.parse(body);
    this.#api.request(operation, searchParams, sent);
    this.refresh();
    const { status, body: answered } = await this.#dialect.operations[operation]!({
      forge: this,
      params,
      query: Object.fromEntries(searchParams),
      body: sent ?? {},
      json: sent ?? {},
    });
    this.#api.answer(operation, status, answered);
    if (fault === 'answer lost') throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
    return { status, body: answered };
  }

  /** Requests in this process, without a connection. */
  readonly fetch: ForgeFetch = async (url, { signal: _, redirect: __, ...init }) => {
    const { status, headers = {}, body } = await this.#answer({ url, ...init });
    return {
      status,
      headers: new Headers(headers),
      body: chunksOf(typeof body === 'string' ? body : JSON.stringify(body)),
    };
  };

  /** The same over HTTP. Resolves with the URL and how to stop it. */
  async listen(): Promise<{ readonly url: string; close(): Promise<void> }> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString('utf8') || undefined;
      const headers = request.headers as Record<string, string>;
      try {
        const answer = await this.#answer({
          method: request.method!,
          url: `http://forge${request.url}`,
          headers,
          body,
        });
        response.writeHead(answer.status, answer.headers);
        response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
      } catch (error) {
        if (error instanceof Mistake) response.writeHead(500).end(error.message);
        else response.destroy();
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
}

async function* chunksOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
