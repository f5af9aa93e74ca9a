import { Argument, type Command } from 'commander';
import { offering } from './offer.ts';
import { branch, examples, list, output, path, planOptions, repo, statusBranch } from './options.ts';

/** Commands for the first day of a fleet, and for each cluster that joins it. */
export function onboardingCommands(gitfleet: Command): void {
  examples(
    gitfleet
      .command('init')
      .description('write a small fleet repo to begin with: settings, one cluster, one placement and what it places')
      .argument('[dir]', 'empty or new directory', '.')
      .action(async (dir) => (await import('../onboard/init.ts')).init(dir)),
    'init my-fleet',
  );

  examples(
    gitfleet
      .command('join')
      .description(
        'add a cluster: create the account of gitfleet there, write its kubeconfig, and commit its MemberCluster',
      )
      .addArgument(offering(new Argument('<context>', 'context of your kubeconfig'), { kind: 'words', words: [] }))
      .option('--name <name>', 'name of the member; default: the name of the context')
      .option('--label <key=value>', 'label of its MemberCluster, which placements may select', list)
      .addOption(repo())
      .addOption(path())
      .addOption(branch())
      .option('--members <dir>', 'directory of kubeconfigs, as gitfleet run --members reads it', 'kubeconfigs')
      .option('--kubeconfig <file>', 'your kubeconfig, with the rights to create the account', '$KUBECONFIG')
      .option('--server <url>', 'address of the API server for gitfleet; default: that of the context')
      .option('--replace', 'let the name mean another cluster than its kubeconfig so far')
      .option('--pull-request', 'push a branch for a pull request instead of committing directly')
      .option('--dry-run', 'print all of it, but change nothing')
      .option(
        '--git-author <name <address>>',
        'author of the commit; default: the identity that git is configured with',
      )
      .action(async (context, options) => (await import('../onboard/join.ts')).join(context, options)),
    'join kind-eu-1 --name eu-1 --label env=prod --label region=westeurope',
    'join kind-eu-1 --name eu-1 --dry-run',
  );

  examples(
    planOptions(
      gitfleet
        .command('rbac')
        .description(
          'print the account of gitfleet for a cluster, with the rights for what is placed there and no more',
        ),
    )
      .requiredOption('--cluster <name>', 'member cluster')
      .addOption(output('yaml or json'))
      .action(async (options) => (await import('../onboard/rbac.ts')).rbac(options)),
    'rbac --cluster eu-1 > account.yaml && kubectl --context eu-1 apply -f account.yaml',
  );

  examples(
    gitfleet
      .command('check')
      .description('check what gitfleet run needs: repo, rights to push, forge, members with their rights and clocks')
      .addOption(repo())
      .addOption(path())
      .addOption(branch())
      .addOption(statusBranch())
      .option('--members <source>', 'kubeconfig file or directory of kubeconfigs', '$KUBECONFIG')
      .option('--timeout <duration>', 'how long to wait for each member', '15s')
      .addOption(output('table or json'))
      .action(async (options) => (await import('../onboard/check.ts')).check(options)),
    'check --members kubeconfigs',
    'check --repo https://git.example.com/platform/fleet.git --members kubeconfigs -o json',
  );
}
