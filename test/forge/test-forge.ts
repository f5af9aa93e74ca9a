import type { ForgeFetch } from '../../src/forge/http.ts';
import type { Answered, Dialect, MergeMethod } from '../../src/simulator/forge/dialect.ts';
import { giteaDialect } from '../../src/simulator/forge/gitea-dialect.ts';
import {
  type AnsweredOverHttp,
  type AskedOverHttp,
  SimulatedForge,
  textOf,
} from '../../src/simulator/forge/simulated-forge.ts';
import { describedApi, Mistake } from './api-check.ts';
import type { TestHost } from './git-host.ts';
import { githubDialect } from './github-dialect.ts';
import { gitlabDialect } from './gitlab-dialect.ts';

export type DialectName = 'github' | 'gitlab' | 'gitea' | 'forgejo';

const dialects: Readonly<Record<DialectName, Dialect>> = {
  github: githubDialect,
  gitlab: gitlabDialect,
  gitea: giteaDialect,
  forgejo: giteaDialect,
};

/** What goes wrong with a request: an answer of its own, no answer without or with its effect. */
export type Fault = AnsweredOverHttp | 'not sent' | 'answer lost' | 'hangs';

/** A simulated forge whose requests and answers are checked, and that fails on request. */
export class TestForge extends SimulatedForge {
  /** `METHOD /path` of every request, also of failed ones. */
  readonly requests: string[] = [];
  /** Headers of every request. */
  readonly sent: Readonly<Record<string, string>>[] = [];
  fault: (request: { readonly method: string; readonly path: string }) => Fault | undefined = () => undefined;
  refusedMerges = 0;
  readonly #api: ReturnType<typeof describedApi>;
  declare readonly git: TestHost;

  constructor(dialect: DialectName, git: TestHost, now: () => number) {
    super(dialects[dialect], git, now);
    this.#api = describedApi(dialect);
  }

  /** At once, also between requests. */
  override tip(branch: string): string | undefined {
    return this.git.tips().get(branch);
  }

  override async merge(number: number, how: MergeMethod, title?: string): Promise<boolean> {
    return this.refusedMerges-- > 0 ? false : super.merge(number, how, title);
  }

  override async answer(asked: AskedOverHttp): Promise<AnsweredOverHttp> {
    const { method, path: full, headers } = asked;
    const path = new URL(full, 'http://forge').pathname.slice(this.dialect.root.length);
    this.requests.push(`${method} ${path}`);
    this.sent.push(headers);
    const fault = this.fault({ method, path });
    if (fault === 'not sent') throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    if (fault === 'hangs') return new Promise(() => {});
    if (typeof fault === 'object') return fault;
    const answered = await super.answer(asked);
    if (answered.status === 404 && !this.#api.knows(method, path))
      throw new Mistake(`${method} ${path} is no operation that gitfleet may use`);
    if (fault === 'answer lost') throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
    return answered;
  }

  protected override asked(operation: string, query: URLSearchParams, body: unknown): void {
    this.#api.request(operation, query, body);
  }

  protected override answered(operation: string, { status, body }: Answered): void {
    this.#api.answer(operation, status, body);
  }

  protected override failed(error: unknown, end: (text?: string) => void): void {
    end(error instanceof Mistake ? error.message : undefined);
  }

  /** Requests in this process, without a connection. */
  readonly fetch: ForgeFetch = async (url, { signal: _, redirect: __, ...init }) => {
    const { pathname, search } = new URL(url);
    const { status, headers = {}, body } = await this.answer({ path: pathname + search, ...init });
    return { status, headers: new Headers(headers), body: chunksOf(textOf(body)) };
  };
}

async function* chunksOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
