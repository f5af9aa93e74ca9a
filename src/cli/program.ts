import { Argument, Command } from 'commander';
import { changingCommands } from './commands/changing.ts';
import { offering } from './commands/offer.ts';
import { onboardingCommands } from './commands/onboarding.ts';
import { examples, output } from './commands/options.ts';
import { planningCommands } from './commands/planning.ts';
import { runningCommands } from './commands/running.ts';
import { statusCommands } from './commands/status.ts';
import { shells } from './completion/shells.ts';
import { version } from './version.ts';

/** Every command loads its own code when it runs: `--help` must not pay for what it does not use. */
export function program(): Command {
  const gitfleet = new Command('gitfleet')
    .description('GitOps reconciler for fleets of Kubernetes clusters. Git is the only database.')
    .version(version, '-V, --version')
    .exitOverride()
    .hook('preAction', (_, command) => findRepo(command))
    .showHelpAfterError('(gitfleet --help lists the commands, gitfleet COMMAND --help the options of one)')
    .configureHelp({ sortSubcommands: false })
    .addHelpText(
      'after',
      `
Exit codes:
  0  nothing to do          3  something named could not be reached
  1  something to do        4  refused by the guard
  2  invalid input

Environment:
  GITFLEET_GIT_TOKEN[_FILE]                            token for git over HTTP(S),
  GITFLEET_GIT_USERNAME, GITFLEET_GIT_PASSWORD[_FILE]  or user name and password
  GITFLEET_WEBHOOK_SECRET[_FILE]                       signs POST /hooks/...
  KUBECONFIG                                           the members
  NO_COLOR, FORCE_COLOR                                colours
  GITFLEET_DEBUG                                       print stack traces of errors`,
    );
  onboardingCommands(gitfleet.commandsGroup('Set up:'));
  runningCommands(gitfleet.commandsGroup('Run:'));
  planningCommands(gitfleet.commandsGroup('Plan:'));
  statusCommands(gitfleet.commandsGroup('Inspect:'));
  changingCommands(gitfleet.commandsGroup('Change:'));
  aboutCommands(gitfleet.commandsGroup('About:'));
  return gitfleet;
}

/** Sets `--repo` and `--path` of a command that is run in a folder of a clone, unless they are given. */
async function findRepo(command: Command): Promise<void> {
  const namesRepo = command.name() === 'validate' && command.args.length > 0;
  if (command.getOptionValueSource('repo') !== 'default' || namesRepo) return;
  const { fleetAround } = await import('./fleet-repo/fleet-around.ts');
  const found = await fleetAround(process.cwd());
  if (found === undefined) return;
  command.setOptionValue('repo', found.repo);
  if (command.getOptionValue('path') === undefined) command.setOptionValue('path', found.path);
}

function aboutCommands(gitfleet: Command): void {
  gitfleet.helpCommand('help [command]', 'help for a command');
  examples(
    gitfleet
      .command('schema')
      .description('write JSON Schemas of every kind, for editors')
      .requiredOption('--out <dir>', 'directory to write to')
      .action(async (options) => (await import('./schema.ts')).schema(options)),
    'schema --out .schemas',
  );
  examples(
    gitfleet
      .command('completion')
      .description('print a script that completes commands, flags, kinds and names in a shell')
      .addArgument(
        offering(new Argument('<shell>', 'bash, zsh, fish, or kubectl for kubectl gitfleet'), {
          kind: 'words',
          words: shells,
        }),
      )
      .argument('[line...]', 'after --: an incomplete command line without gitfleet; its completions are printed')
      .action(async (shell, line) => (await import('./completion/completion.ts')).completion(shell, line, gitfleet)),
    'completion bash > ~/.local/share/bash-completion/completions/gitfleet',
    'completion zsh > ~/.zsh/completions/_gitfleet',
    'completion fish > ~/.config/fish/completions/gitfleet.fish',
    'completion kubectl > ~/bin/kubectl_complete-gitfleet   then make it executable',
    'completion bash -- describe placement w',
  );
  examples(
    gitfleet
      .command('version')
      .description('print the versions of gitfleet and Node, and the platform')
      .addOption(output('table or json'))
      .action(async (options) => (await import('./version.ts')).printVersion(options)),
    'version -o json',
  );
}
