import { Argument, type Command, Option } from 'commander';
import { kindArgument, offering } from './offer.ts';
import { branch, examples, output, path, repo, statusBranch, statusOptions } from './options.ts';

/** Commands that change the fleet repo by commits, or make the daemon reconcile. */
export function changingCommands(gitfleet: Command): void {
  const changeOptions = (command: Command): Command =>
    command
      .addOption(repo())
      .addOption(path())
      .addOption(branch())
      .option('--dry-run', 'print the files, but change nothing')
      .option(
        '--git-author <name <address>>',
        'author of the commit; default: the identity that git is configured with',
      )
      .addOption(output('table, json or yaml'));
  const push = () => new Option('--push', 'in a clone: push the commit to its origin');
  const direct = () =>
    new Option('--direct', 'commit to the branch with the desired state, not to a branch for a pull request');

  examples(
    changeOptions(
      gitfleet
        .command('drain')
        .description('empty a cluster: commit a taint and evictions to a branch, for you to merge'),
    )
      .argument('<cluster>', 'member cluster')
      .addOption(statusBranch())
      .addOption(direct())
      .addOption(push())
      .action(async (cluster, options) => (await import('../change/drain.ts')).drain(cluster, options)),
    'drain eu-1 --dry-run',
    'drain eu-1                 creates the branch gitfleet/drain/eu-1; merge it to start the drain',
    'drain eu-1 --push          pushes that branch to the origin of a clone',
  );

  examples(
    changeOptions(
      gitfleet
        .command('uncordon')
        .description('allow placements on a drained cluster again: commit that to a branch, for you to merge'),
    )
      .argument('<cluster>', 'member cluster')
      .addOption(statusBranch())
      .addOption(direct())
      .addOption(push())
      .action(async (cluster, options) => (await import('../change/uncordon.ts')).uncordon(cluster, options)),
    'uncordon eu-1',
    'uncordon eu-1 --direct     commits to main directly',
  );

  examples(
    changeOptions(
      gitfleet
        .command('approve')
        .description(
          'approve a request, or reject it: merge its branch into the branch with the desired state, by git or by the forge',
        ),
    )
      .addArgument(
        offering(new Argument('<name>', 'approval request, as gitfleet get approvals lists it, or namespace.name'), {
          kind: 'names',
          of: 'approval',
        }),
      )
      .addOption(statusBranch())
      .option('--reject', 'reject it instead, which ends the update run; needs --reason')
      .option('--reason <text>', 'why it is rejected, to record in the approval file and the commit')
      .option('--force', 'merge the branch although it holds more or something else than its request')
      .option('--forge', 'let the forge merge its pull request; default for a URL with GITFLEET_FORGE_TOKEN[_FILE]')
      .option('--no-forge', 'merge by git')
      .addOption(
        new Option('--timeout <duration>', 'wait so long for reviews and checks that the forge requires').default('1m'),
      )
      .action(async (name, options) => (await import('../change/approve/approve.ts')).approve(name, options)),
    'approve payments-1-after-staging --dry-run',
    'approve payments-1-after-staging                in a clone: merges and pushes to its origin',
    'approve payments-1-after-staging --reject --reason "too many errors on staging-2"',
  );

  for (const [verb, what, where] of [
    [
      'suspend',
      'suspend a placement or an update run with a commit; members keep what they have',
      'the commit; of a placement the status shows it too',
    ],
    ['resume', 'resume a suspended placement or update run with a commit', 'the commit'],
  ] as const) {
    examples(
      changeOptions(gitfleet.command(verb).description(what))
        .addArgument(kindArgument('placement, run or upgrade; or kind/name', ['placement', 'run', 'upgrade']))
        .argument('[name]', 'name, or namespace/name')
        .addOption(statusBranch())
        .option('--reason <text>', `reason to record in ${where}`)
        .option('--pull-request', 'push a branch for a pull request instead of committing directly')
        .addOption(push())
        .action(async (kind, name, options) => (await import('../change/suspend.ts'))[verb](kind, name, options)),
      `${verb} placement web --reason "${verb === 'suspend' ? 'incident 42' : 'incident 42 is over'}"`,
      `${verb} placement web --push            in a clone: takes effect at once`,
      `${verb} run/payments-1 --pull-request`,
      `${verb} upgrade/k8s-1-32`,
    );
  }

  examples(
    statusOptions(
      gitfleet
        .command('reconcile')
        .description('make the daemon reconcile now, and wait for the status of the newest commit'),
    )
      .addOption(branch())
      .option(
        '--daemon <url>',
        'address of the daemon, which needs the same GITFLEET_WEBHOOK_SECRET',
        'http://127.0.0.1:8080',
      )
      .option('--timeout <duration>', 'give up after this long', '1m')
      .option('--no-wait', 'do not wait for the status')
      .action(async (options) => (await import('../reconcile.ts')).reconcile(options)),
    'reconcile --repo https://git.example.com/platform/fleet.git --daemon https://gitfleet.example.com',
    'reconcile --timeout 5m',
  );
}
