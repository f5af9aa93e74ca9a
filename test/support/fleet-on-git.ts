import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusFiles } from '../../src/daemon/record/publication.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import { parseBatch } from '../../src/git/objects/read-objects.ts';
import { defaultAuthor, parsePerson } from '../../src/git/person.ts';
import { openStatusBranch, type StatusBranch } from '../../src/git/status-branch.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { statusMessage } from '../../src/report/commit-message.ts';
import { folder, put } from './folders.ts';
import { nobody } from './git-repository.ts';
import { changes, PaperFleet } from './paper-fleet.ts';

/** A paper fleet whose repo and status branch are a real git repository, for tests of commands. */
export class FleetOnGit {
  readonly dir = folder();
  readonly paper: PaperFleet;
  #status: StatusBranch | undefined;

  private constructor(files: Readonly<Record<string, string>>) {
    this.paper = new PaperFleet(files);
  }

  static async open(files: Readonly<Record<string, string>>): Promise<FleetOnGit> {
    const fleet = new FleetOnGit(files);
    fleet.git('init', '-q', '-b', 'main');
    appendFileSync(join(fleet.dir, '.git/config'), '[user]\n\tname = Ann\n\temail = ann@example.com\n');
    fleet.commit(files, 'Begin the fleet');
    fleet.#status = await openStatusBranch({
      repo: fleet.dir,
      statusBranch: 'fleet-status',
      cacheDir: join(fleet.dir, '.cache'),
      credentials: nobody,
      author: parsePerson(defaultAuthor),
      now: () => fleet.paper.now,
    });
    return fleet;
  }

  /** Runs git as Ann, at the fleet's time. */
  git(...args: string[]): string {
    const date = new Date(this.paper.now).toISOString();
    const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    return execFileSync('git', ['-C', this.dir, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      .toString('utf8')
      .trim();
  }

  /** Commits files to main and lets the fleet see them. */
  commit(files: Readonly<Record<string, string>>, message: string): string {
    put(this.dir, files);
    this.git('add', ...Object.keys(files));
    this.git('commit', '-qm', message);
    Object.assign(this.paper.files, files);
    this.paper.commit = this.git('rev-parse', 'HEAD');
    return this.paper.commit;
  }

  /** Loads the present content of main into the fleet. */
  look(): void {
    const entries = this.git('ls-tree', '-r', '--format=%(objectname) %(path)', 'main').split('\n');
    const named = entries.map((entry) => [entry.slice(41), entry.slice(0, 40)] as const);
    const input = named.map(([, oid]) => `${oid}\n`).join('');
    const { objects } = parseBatch(execFileSync('git', ['-C', this.dir, 'cat-file', '--batch'], { input }));
    const textOf = (oid: string): string => `${objects.get(oid)!.content.toString('utf8').trim()}\n`;
    this.paper.files = Object.fromEntries(named.map(([path, oid]) => [path, textOf(oid)]));
    this.paper.commit = this.git('rev-parse', 'main');
  }

  /** One pass: plan, publish, apply, ten seconds. A refused plan is reported and not applied. */
  async pass(options: { readonly refused?: boolean } = {}): Promise<Plan> {
    const plan = await this.paper.plan(options);
    const status = this.#status!;
    const tip = await status.read();
    const notRolledOut = this.paper.last!.notRolledOut;
    const before = readRecord(tip.files).record;
    const { fleet } = await this.paper.input();
    const files = statusFiles(plan, tip.files, {
      branch: 'main',
      unreachable: new Map(),
      notRolledOut,
      before: { record: before, files: tip.files },
      fleet,
    });
    const message = statusMessage({
      before,
      after: readRecord(files).record,
      plan,
      unreachable: { before: new Map(), after: new Map() },
    });
    await status.publish(tip, files, message);
    if (!options.refused) this.paper.deliver();
    this.paper.pass(10);
    return plan;
  }

  /** Passes until one changes nothing. */
  async settle(): Promise<Plan> {
    for (let count = 0; count < 30; count++) {
      const before = this.paper.record;
      const plan = await this.pass();
      if (Object.keys(changes(before, this.paper.record)).length === 0) return plan;
    }
    throw new Error('not settled after 30 passes');
  }
}
