import { Argument, type Command, Option } from 'commander';
import { CliError } from '../terminal/exit.ts';
import { offering } from './offer.ts';
import { examples, list, output, path, planOptions, ref, repo } from './options.ts';

/** Commands that read the fleet repo and show its effect, without changing a cluster. */
export function planningCommands(gitfleet: Command): void {
  examples(
    gitfleet
      .command('validate')
      .description(
        'report every problem of a fleet repo with file, line and column; in a clone also of uncommitted changes',
      )
      .argument('[dir|url]', 'fleet repo, as --repo names it')
      .addOption(repo())
      .addOption(path())
      .addOption(ref())
      .option('--strict', 'exit with 2 for warnings, too')
      .addOption(output('table, json, github or sarif'))
      .action(async (named, options) => (await import('../validate/validate.ts')).validate(named, options)),
    'validate',
    'validate --ref HEAD         only what is committed, as plan does',
    'validate --strict -o github  annotations in a workflow of GitHub; -o sarif for code scanning',
    'validate https://git.example.com/platform/fleet.git --ref next -o json',
  );

  examples(
    planOptions(
      gitfleet
        .command('plan')
        .description('show what the daemon would assign now; needs no cluster and, for a local repo, no network'),
    )
      .option('--taint <cluster=taint>', 'what if: eu-1=key=value:NoSchedule, or eu-1=key- to remove it', list)
      .option('--without-cluster <cluster>', 'what if: the cluster is not in the fleet', list)
      .option('--property <cluster:name=value>', 'what if: eu-1:available-cpu=0', list)
      .option('--label <cluster:key=value>', 'what if: eu-1:env=prod, or eu-1:env- to remove it', list)
      .option(
        '--out-recorded <dir>',
        'write the complete record after this plan; pass it as --recorded to the next plan',
      )
      .addOption(
        new Option(
          '--members <source>',
          'observe the members now: kubeconfig file or directory of kubeconfigs',
        ).conflicts('observed'),
      )
      .option('--timeout <duration>', 'with --members: how long to wait for each member', '15s')
      .option('--all', 'table: also list what stays as it is')
      .addOption(
        new Option(
          '--base <ref>',
          'show the total effect of --ref once everything has settled, compared with this one',
        ).conflicts(['taint', 'withoutCluster', 'property', 'label', 'outRecorded', 'worktree']),
      )
      .option(
        '--ready-after <duration>',
        'with --base: clusters are ready so long after they are updated; default: 90s, or half of the shortest progress-deadline if that is less',
      )
      .addOption(output('table, json, yaml or markdown'))
      .action(async ({ members, timeout, ...rest }) => {
        const options = { ...rest, ...(members !== undefined && { observing: { members, timeout } }) };
        if (options.base === undefined && options.readyAfter !== undefined)
          throw new CliError('--ready-after goes with --base: a plan alone supposes nothing');
        return options.base === undefined
          ? (await import('../plan/plan.ts')).plan(options)
          : (await import('../plan/preview.ts')).preview(options);
      }),
    'plan',
    'plan --worktree                    before the commit',
    'plan --base main --ref my-branch -o markdown   for a comment on a pull request',
    'plan --taint eu-1=maintenance:NoSchedule  what would move',
    'plan --members ~/.kube/config      with what the members have now',
    'plan --observed observed/ -o json',
  );

  examples(
    planOptions(
      gitfleet
        .command('forecast')
        .description(
          'show when changes, cluster upgrades and disruption of nodes would happen: stages, clusters, approvals, windows and freezes in virtual time',
        ),
    )
      .option('--until <duration>', 'how far to look: 12h, 7d', '7d')
      .option(
        '--ready-after <duration>',
        'clusters are ready so long after they are updated, nodes launched or drained; default: 90s, or half of the shortest progress-deadline if that is less',
      )
      .option('--upgraded-after <duration>', 'clusters run new versions so long after their upgrade started', '30m')
      .option(
        '--approve-after <duration|never>',
        'approvals are given so long after they are requested, open ones so long from now',
        '1h',
      )
      .addOption(output('table, json or markdown'))
      .action(async (options) => (await import('../forecast/forecast.ts')).forecast(options)),
    'forecast',
    'forecast --ref my-branch --approve-after never',
    'forecast --observed observed/ --until 24h   which nodes go today',
    'forecast --until 14d --ready-after 5m --upgraded-after 45m -o markdown',
  );

  examples(
    planOptions(
      gitfleet
        .command('diff')
        .description(
          'show what a plan would change on each cluster, as a diff of manifests; exit code 1 if there are differences',
        ),
    )
      .option('--cluster <name>', 'only this cluster')
      .option('--placement <[ns/]name>', 'only this placement')
      .option(
        '--members <source>',
        'compare with the live objects, not with the record: kubeconfig file or directory of kubeconfigs',
      )
      .option('--timeout <duration>', 'with --members: how long to wait for each member', '15s')
      .option('--exit-code <bool>', 'false: exit 0 even if there are differences', 'true')
      .addOption(output('table, json or yaml'))
      .action(async (options) => (await import('../diff/diff.ts')).diff(options)),
    'diff',
    'diff --ref my-branch --cluster eu-1',
    'diff --members ~/.kube/config   against the live objects, as kubectl diff does',
  );

  examples(
    planOptions(gitfleet.command('render').description('print the manifests that one cluster gets'))
      .requiredOption('--cluster <name>', 'member cluster')
      .option('--placement <[ns/]name>', 'only this placement')
      .addOption(output('yaml or json'))
      .action(async (options) => (await import('../render/render.ts')).render(options)),
    'render --cluster eu-1',
    'render --cluster eu-1 --placement shop/settings -o json',
  );

  examples(
    planOptions(gitfleet.command('explain').description('explain why each cluster was or was not picked'))
      .argument('<placement>', 'name of the placement, or placement/name')
      .argument('[name]', 'after the word placement: name, or namespace/name')
      .option('--cluster <name>', 'only this cluster')
      .addOption(output('table, json or yaml'))
      .action(async (word, name, options) => (await import('../explain/explain.ts')).explain(word, name, options)),
    'explain shop',
    'explain placement shop --cluster gpu-1',
  );

  examples(
    planOptions(
      gitfleet.command('generate').description('print the file of the update run that an AutoUpgradeProfile proposes'),
    )
      .argument('<kind>', 'run')
      .requiredOption('--profile <name>', 'AutoUpgradeProfile')
      .addOption(output('yaml or json'))
      .action(async (kind, options) => (await import('../generate/generate.ts')).generate(kind, options)),
    'generate run --profile stable > upgrades/next.yaml',
  );

  examples(
    gitfleet
      .command('import')
      .description('print objects of AKS Fleet, and maintenance configurations of AKS, as files of a fleet repo')
      .addArgument(offering(new Argument('<source>', 'azure-fleet'), { kind: 'words', words: ['azure-fleet'] }))
      .argument('<file>', 'JSON as az prints it: an object or a list; - for standard input')
      .action(async (source, file) => (await import('../import/import.ts')).importFrom(source, file)),
    'import azure-fleet strategies.json > strategies.yaml   from az fleet updatestrategy list',
    'import azure-fleet - < windows.json                    from az aks maintenanceconfiguration list',
  );

  examples(
    planOptions(
      gitfleet
        .command('windows')
        .description('list when upgrades of a cluster may start, by maintenance windows and freezes'),
    )
      .argument('<cluster>', 'member cluster')
      .option('--next <count>', 'how many openings', '10')
      .addOption(
        offering(new Option('--type <type>', 'Full, ControlPlaneOnly or NodeImageOnly; default: all'), {
          kind: 'words',
          words: ['Full', 'ControlPlaneOnly', 'NodeImageOnly'],
        }),
      )
      .addOption(output('table, json or ics'))
      .action(async (cluster, options) => (await import('../windows/windows.ts')).windows(cluster, options)),
    'windows eu-1',
    'windows eu-1 --next 52 -o ics > eu-1.ics   for a calendar',
    'windows eu-1 --type NodeImageOnly --now 2026-12-01T00:00:00Z',
  );

  examples(
    planOptions(
      gitfleet
        .command('budgets')
        .description('show how many nodes of each NodePool of a cluster may be disrupted, now and later'),
    )
      .argument('<cluster>', 'member cluster')
      .option('--pool <name>', 'only this NodePool')
      .option('--at <instant>', 'at this instant only (RFC 3339)')
      .option('--next <duration>', 'so long from now on, such as 7d; default: 24h')
      .addOption(output('table, json or yaml'))
      .action(async (cluster, options) => (await import('../budgets/budgets.ts')).budgets(cluster, options)),
    'budgets eu-1',
    'budgets eu-1 --next 7d',
    'budgets eu-1 --pool default --at 2026-12-01T09:00:00Z -o json',
  );
}
