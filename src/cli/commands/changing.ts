import { type Command, Option } from 'commander';
import { kindArgument } from './offer.ts';
import { branch, examples, output, repo, statusBranch, statusOptions } from './options.ts';

/** Commands that change the fleet repo, by commits, or make the daemon look. */
export function changingCommands(gitfleet: Command): void {
  const changeOptions = (command: Command): Command =>
    command
      .addOption(repo())
      .addOption(branch())
      .option('--dry-run', 'print the files, change nothing')
      .option('--git-author <name <address>>', 'author of the commit; default: whom git names')
      .addOption(output('table, json or yaml'));
  const direct = () =>
    new Option('--direct', 'commit to the branch of desired state instead of a branch for a pull request');

  examples(
    changeOptions(
      gitfleet
        .command('drain')
        .description('empty a cluster: a taint and evictions, as files on a branch to be merged'),
    )
      .argument('<cluster>', 'member cluster')
      .addOption(statusBranch())
      .addOption(direct())
      .action(async (cluster, options) => (await import('../change/drain.ts')).drain(cluster, options)),
    'drain eu-1 --dry-run',
    'drain eu-1                 makes the branch gitfleet/drain/eu-1; merging it begins the drain',
  );

  examples(
    changeOptions(
      gitfleet
        .command('uncordon')
        .description('let a drained cluster take placements again, as files on a branch to be merged'),
    )
      .argument('<cluster>', 'member cluster')
      .addOption(direct())
      .action(async (cluster, options) => (await import('../change/uncordon.ts')).uncordon(cluster, options)),
    'uncordon eu-1',
    'uncordon eu-1 --direct     commits to main at once',
  );

  for (const [verb, what] of [
    ['suspend', 'halt a placement or a staged update run, by a commit; what is on the members stays'],
    ['resume', 'let a suspended placement or run go on, by a commit'],
  ] as const) {
    examples(
      changeOptions(gitfleet.command(verb).description(what))
        .addArgument(kindArgument('placement or run; or kind/name', ['placement', 'run']))
        .argument('[name]', 'its name, or namespace/name')
        .addOption(statusBranch())
        .option('--reason <text>', 'why, for those who read the commit and the status')
        .option('--pull-request', 'push a branch for a pull request instead of committing at once')
        .action(async (kind, name, options) => (await import('../change/suspend.ts'))[verb](kind, name, options)),
      `${verb} placement web --reason "${verb === 'suspend' ? 'incident 42' : 'incident 42 is over'}"`,
      `${verb} run/payments-1 --pull-request`,
    );
  }

  examples(
    statusOptions(
      gitfleet
        .command('reconcile')
        .description('tell the daemon to look now, and wait for the status of the newest commit'),
    )
      .addOption(branch())
      .option(
        '--daemon <url>',
        'address of the daemon; it must have the same GITFLEET_WEBHOOK_SECRET',
        'http://127.0.0.1:8080',
      )
      .option('--timeout <duration>', 'give up after this long', '1m')
      .option('--no-wait', 'do not wait for the status')
      .action(async (options) => (await import('../reconcile.ts')).reconcile(options)),
    'reconcile --repo https://git.example.com/platform/fleet.git --daemon https://gitfleet.example.com',
    'reconcile --timeout 5m',
  );
}
