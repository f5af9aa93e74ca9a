import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { defaultAuthor, parsePerson } from '../../src/git/person.ts';
import { openStatusBranch, type StatusTip } from '../../src/git/status-branch.ts';
import { filesOf, inTempDir, writeFiles } from './fleet-repo.ts';
import { limits } from './limits.ts';
import { median, report, timed } from './report.ts';

const entries = 10_000;
const changed = 100;
const rounds = 5;

/** A status commit in a local bare repository; git's own `git add && git commit` of as large a change is the baseline. */
export const run = (): Promise<void> =>
  inTempDir(async (dir) => {
    const repo = join(dir, 'status.git');
    execFileSync('git', ['init', '-q', '--bare', repo]);
    const status = await openStatusBranch({
      repo,
      statusBranch: 'fleet-status',
      cacheDir: join(dir, 'cache'),
      credentials: async () => undefined,
      author: parsePerson(defaultAuthor),
      now: () => Date.now(),
    });
    let tip: Parameters<typeof status.publish>[0] = { commit: undefined, files: new Map() };
    const publish = async (files: StatusTip['files']): Promise<void> => {
      const result = await status.publish(tip, files, 'Update status');
      if (result.kind === 'moved') throw new Error('nobody else writes here');
      tip = result.tip;
    };
    const files = filesOf(entries, (at) => entry(at, 0));
    const [first] = await timed(1, () => publish(new Map(Object.entries(files))));
    const again: number[] = [];
    const theirs: number[] = [];
    const clone = join(dir, 'clone');
    execFileSync('git', ['clone', '-q', '-b', 'fleet-status', repo, clone]);
    for (let round = 1; round <= rounds; round++) {
      const next = filesOf(changed, (at) => entry(at * 97 + round, round));
      const whole = new Map([...tip.files, ...Object.entries(next)]);
      again.push(...(await timed(1, () => publish(whole))));
      await writeFiles(clone, next);
      theirs.push(...(await timed(1, () => commitWithGit(clone))));
    }
    await status.close();
    report(
      {
        what: `status commit with ${changed} of ${entries} entries changed, before it is pushed`,
        value: median(again),
        unit: 'ms',
        limit: limits.status,
        baseline: { what: 'git add + git commit', value: median(theirs) },
      },
      { what: '  the first one, all entries new', value: first!, unit: 'ms' },
    );
  });

const entry = (at: number, round: number) => ({
  [`clusters/${Math.floor(at / 100)}/member-${at}.yaml`]:
    `kind: MemberCluster\nname: member-${at}\nround: ${round}\n`.repeat(8),
});

function commitWithGit(clone: string): void {
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com'];
  execFileSync('git', ['-C', clone, 'add', '-A']);
  execFileSync('git', ['-C', clone, ...who, 'commit', '-qm', 'Change']);
}
