import { Command, Option } from 'commander';
import { defaultAuthor } from '../git/person.ts';
import { version } from './version.ts';

/** Every command loads its own code when it runs: `--help` must not pay for what it does not use. */
export function program(): Command {
  const gitfleet = new Command('gitfleet')
    .description('GitOps reconciler for fleets of Kubernetes clusters. Git is the only database.')
    .version(version, '-V, --version')
    .exitOverride()
    .showHelpAfterError('(add --help for the options of a command)')
    .configureHelp({ sortSubcommands: false })
    .addHelpText(
      'after',
      `
Exit codes: 0 nothing to do, 1 something to do, 2 invalid input, 3 something named could not be reached, 4 refused by the guard.
Environment: GITFLEET_GIT_TOKEN[_FILE], GITFLEET_GIT_USERNAME, GITFLEET_GIT_PASSWORD[_FILE], GITFLEET_WEBHOOK_SECRET[_FILE], NO_COLOR, GITFLEET_DEBUG.`,
    );

  const repo = () => new Option('--repo <dir|url>', 'fleet repo: a directory, a clone, or a URL').default('.');
  const ref = () => new Option('--ref <ref>', 'branch, tag or commit to read');
  const planOptions = (command: Command): Command =>
    command
      .addOption(repo())
      .addOption(ref())
      .option(
        '--observed <file|dir>',
        'what the members look like (gitfleet observe); without it members hold what the record says',
      )
      .option(
        '--recorded <dir|none>',
        'status branch as files; a git repo uses its fleet-status branch unless this is given',
      )
      .option('--now <instant>', 'plan for this instant (RFC 3339); default: now');

  /** A flag that may be given several times. */
  const list = (value: string, before: readonly string[] = []): string[] => [...before, value];

  gitfleet
    .command('demo')
    .description('a fleet of simulated clusters, live: placements, a rolling update, a staged run with an approval')
    .option('--dir <dir>', 'where the demo keeps its repo and state; must be empty or a demo of before')
    .option('--speed <factor>', 'how much faster than real time the simulated clusters live', '10')
    .option('--exit-when-settled', 'merge the approval, and end when everything is done')
    .action(async (options) => (await import('./demo.ts')).demo(options));

  gitfleet
    .command('simulate')
    .description('simulated clusters on this machine, for kubectl and for tests of your own')
    .requiredOption('--simulated-fleet <file>', 'SimulatedFleet file')
    .option('--kubeconfig <file>', 'kubeconfig to write, with one context for each cluster', 'kubeconfig')
    .option('--port <port>', 'port on 127.0.0.1; 0 for any that is free', '0')
    .option('--speed <factor>', 'how much faster than real time the simulated clusters live', '1')
    .action(async (options) => (await import('./simulate.ts')).simulate(options));

  gitfleet
    .command('run')
    .description('the daemon: sync the repo, observe the members, plan, apply, commit status')
    .addOption(repo())
    .option('--branch <branch>', 'branch of desired state', 'main')
    .option('--status-branch <branch>', 'branch that status is committed to', 'fleet-status')
    .option(
      '--members <source>',
      'kubeconfig file (contexts are members), directory of kubeconfigs, or "simulated"',
      '$KUBECONFIG',
    )
    .option('--simulated-fleet <file>', 'SimulatedFleet file for --members simulated')
    .option('--cache-dir <dir>', 'for clones and parsed files; can be deleted at any time')
    .option('--interval <duration>', 'poll the repo at least this often', '10s')
    .option(
      '--publish-interval <duration>',
      'least distance between two pushes to a remote; 0s for a local repo',
      '10s',
    )
    .option(
      '--listen <host:port>',
      'address of /healthz, /readyz, /metrics and /hooks/git; "off" for none',
      '127.0.0.1:8080',
    )
    .option('--accept-rewind <commit>', 'accept once that the branch was rewound to this commit')
    .option('--git-author <name <address>>', 'author of status commits and approval branches', defaultAuthor)
    .option('--grace-period <duration>', 'what is under way may take this long to end after SIGTERM', '25s')
    .option('--once', 'one pass, wait for its outcome, then end')
    .option('--log-level <level>', 'trace, debug, info, warn, error', 'info')
    .option('--log-format <format>', 'json or pretty; default: pretty on a terminal')
    .action(async (options) => (await import('./run.ts')).run(options));

  planOptions(
    gitfleet
      .command('plan')
      .description('what the daemon would assign now; needs no cluster and, for a local repo, no network'),
  )
    .option('--taint <cluster=taint>', 'what if: eu-1=key=value:NoSchedule, or eu-1=key- to take one away', list)
    .option('--without-cluster <cluster>', 'what if: the cluster is not in the fleet', list)
    .option('--property <cluster:name=value>', 'what if: eu-1:available-cpu=0', list)
    .option('--label <cluster:key=value>', 'what if: eu-1:env=prod, or eu-1:env- to take one away', list)
    .option('--out-recorded <dir>', 'write the complete record after this plan, to be passed as --recorded to the next')
    .option('-o, --output <format>', 'table, json, yaml or markdown', 'table')
    .action(async (options) => (await import('./plan.ts')).plan(options));

  planOptions(gitfleet.command('diff').description('what a plan would change on each cluster, as a diff of manifests'))
    .option('--cluster <name>', 'only this cluster')
    .option('--exit-code <bool>', 'false: exit 0 also when there are differences', 'true')
    .action(async (options) => (await import('./diff.ts')).diff(options));

  planOptions(gitfleet.command('render').description('the manifests that one cluster gets'))
    .requiredOption('--cluster <name>', 'member cluster')
    .option('--placement <[ns/]name>', 'only this placement')
    .option('-o, --output <format>', 'yaml or json', 'yaml')
    .action(async (options) => (await import('./render.ts')).render(options));

  planOptions(gitfleet.command('explain').description('why each cluster was or was not picked'))
    .argument('<kind>', 'placement')
    .argument('<[ns/]name>', 'name of the placement')
    .option('--cluster <name>', 'only this cluster')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .action(async (kind, name, options) => (await import('./explain.ts')).explain(kind, name, options));

  gitfleet
    .command('validate')
    .description('read a fleet repo and report every problem with file, line and column')
    .argument('[dir|url]', 'fleet repo', '.')
    .addOption(ref())
    .option('-o, --output <format>', 'table or json', 'table')
    .action(async (repo, options) => (await import('./validate.ts')).validate(repo, options));

  gitfleet
    .command('observe')
    .description('write what the members look like now, one ClusterObservation file each')
    .requiredOption('--out <dir>', 'directory to write to')
    .addOption(repo())
    .addOption(ref())
    .option('--members <source>', 'kubeconfig file or directory of kubeconfigs', '$KUBECONFIG')
    .option('--timeout <duration>', 'how long to wait for a member', '15s')
    .action(async (options) => (await import('./observe.ts')).observe(options));

  const statusOptions = (command: Command): Command =>
    command.addOption(repo()).option('--status-branch <branch>', 'branch that status is committed to', 'fleet-status');
  const kinds =
    'placements, bindings, clusters, snapshots, policysnapshots, drift, runs, approvals, evictions, events, problems';

  statusOptions(gitfleet.command('get').description(`list what the status branch says: ${kinds}`))
    .argument('<kind>', "a kind, KubeFleet's short name for it (crp, rp, crb, …), or kind/name")
    .argument('[name]', 'only this one, or what belongs to the placement of this name')
    .option('-n, --namespace <namespace>', 'only of this namespace')
    .option('-A, --all-namespaces', 'of all namespaces, and what has none; this is the default')
    .option('-l, --selector <selector>', 'only with these labels: env=prod,region in (eu,us),!canary')
    .option('-w, --watch', 'go on, and print what changes')
    .option('--no-headers', 'leave the headings of the table out')
    .option('--history <commits>', 'events: how many status commits to look back', '250')
    .option('-o, --output <format>', 'table, wide, json, yaml or name', 'table')
    .addHelpText(
      'after',
      `
Examples:
  gitfleet get placements -o wide
  gitfleet get crp web -o yaml
  gitfleet get bindings web            every cluster of the placement web
  gitfleet get clusters -l env=prod
  gitfleet get drift
  gitfleet get events --history 1000
  gitfleet get runs -w`,
    )
    .action(async (kind, name, options) => (await import('./get.ts')).get(kind, name, options));

  statusOptions(
    gitfleet
      .command('describe')
      .description('everything the status branch says about one object, with events from its history'),
  )
    .argument('<kind>', 'placement, binding, cluster, snapshot, run, approval or eviction')
    .argument('[name]', 'name, or namespace/name')
    .addHelpText(
      'after',
      `
Examples:
  gitfleet describe placement web      decisions with scores, clusters, drift, events
  gitfleet describe cluster eu-1
  gitfleet describe run/payments-1`,
    )
    .action(async (kind, name, options) => (await import('./describe.ts')).describe(kind, name, options));

  gitfleet
    .command('schema')
    .description('write JSON Schemas of every kind, for editors')
    .requiredOption('--out <dir>', 'directory to write to')
    .action(async (options) => (await import('./schema.ts')).schema(options));

  gitfleet
    .command('version')
    .description('version of gitfleet and of what it runs on')
    .option('-o, --output <format>', 'table or json', 'table')
    .action(async (options) => (await import('./version.ts')).printVersion(options));

  return gitfleet;
}
