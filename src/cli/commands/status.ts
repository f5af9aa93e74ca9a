import type { Command } from 'commander';
import { kindsOfAll, kindWords, oneOfWords, pluralsOfKinds, singularsOf } from '../kinds/kind-words.ts';
import { kindArgument } from './offer.ts';
import { branch, examples, madeFromFiles, output, statusOptions } from './options.ts';

/** Commands that read the status branch. */
export function statusCommands(gitfleet: Command): void {
  examples(
    madeFromFiles(
      statusOptions(
        gitfleet
          .command('get')
          .description(
            `list objects of the status branch: ${pluralsOfKinds.join(', ')}; nodes and nodepools also of a plan that is made now`,
          ),
      ),
    )
      .addArgument(
        kindArgument(
          "a kind, KubeFleet's short name for it (crp, rp, crb, …), several separated by commas, all, or kind/name",
          [...pluralsOfKinds, 'all'],
        ),
      )
      .argument('[name]', 'only this one, or what belongs to the placement or cluster of this name')
      .option('-n, --namespace <namespace>', 'only objects of this namespace')
      .option('-A, --all-namespaces', 'all namespaces and cluster-scoped objects (the default)')
      .option('-l, --selector <selector>', 'only objects with these labels: env=prod,region in (eu,us),!canary')
      .option('--region <region>', 'versions: only clusters of this region')
      .option('-w, --watch', 'keep running, and print changes')
      .option('--no-headers', 'omit the headings of the table')
      .option('--history <commits>', 'events: how many status commits to look back', '250')
      .addOption(output('table, wide, json, yaml or name'))
      .action(async (kind, name, options) => (await import('../get/get.ts')).get(kind, name, options)),
    'get placements -o wide',
    'get crp web -o yaml',
    'get placements,runs',
    `get all                     ${oneOfWords(
      kindsOfAll.map((kind) => kindWords[kind].plural),
      'and',
    )}`,
    'get bindings web            every cluster of the placement web',
    'get clusters -l env=prod',
    'get versions --region westeurope',
    'get nodepools                nodes that may be disrupted now, by pool and reason',
    'get nodes eu-1 --observed seen.yaml --now 2026-11-20T10:00:00Z',
    'get drift',
    'get events --history 1000',
    'get runs -w',
  );

  examples(
    madeFromFiles(
      statusOptions(
        gitfleet
          .command('describe')
          .description(
            'show everything that the status branch holds about one object, with its events; of a node or nodepool also what a plan made now decides',
          ),
      ),
    )
      .addArgument(kindArgument(`${oneOfWords(singularsOf('described'))}; or kind/name`, singularsOf('described')))
      .argument('[name]', 'name, or namespace/name')
      .option('-n, --namespace <namespace>', 'only objects of this namespace')
      .option('--cluster <name>', 'nodes and nodepools: only of this cluster')
      .addOption(output('table, json or yaml'))
      .action(async (kind, name, options) => (await import('../describe/describe.ts')).describe(kind, name, options)),
    'describe placement web      decisions with scores, clusters, drift, events',
    'describe cluster eu-1',
    'describe run/payments-1 -o json',
    'describe node n1 --cluster eu-1 --observed seen.yaml',
  );

  examples(
    statusOptions(
      gitfleet
        .command('tree')
        .description('show a placement with its snapshots, update runs, clusters and every object on them'),
    )
      .argument('<placement>', 'name of the placement, namespace/name, or placement/name')
      .argument('[name]', 'after the word placement: name, or namespace/name')
      .option('-n, --namespace <namespace>', 'namespace of the placement')
      .option('--cluster <name>', 'only this cluster')
      .addOption(output('table, json or yaml'))
      .action(async (word, name, options) => (await import('../tree/tree.ts')).tree(word, name, options)),
    'tree web',
    'tree placement shop/settings --cluster eu-1',
  );

  examples(
    statusOptions(
      gitfleet
        .command('trace')
        .description('show which placement, snapshot, commit, file and override put an object on a cluster'),
    )
      .argument('<kind>', 'kind of the object, or kind/name')
      .argument('[name]', 'name, or namespace/name')
      .option('-n, --namespace <namespace>', 'namespace of the object; default: any')
      .option('--cluster <name>', 'only on this cluster; default: on every cluster that has it')
      .addOption(output('table, json or yaml'))
      .action(async (word, name, options) => (await import('../trace/trace.ts')).trace(word, name, options)),
    'trace deployment/web -n shop --cluster eu-1',
    'trace cm settings -o json',
  );

  examples(
    statusOptions(
      gitfleet
        .command('wait')
        .description('wait until an object has a condition, or is deleted; exit code 1 on timeout'),
    )
      .addArgument(kindArgument(`${oneOfWords(singularsOf('awaited'))}; or kind/name`, singularsOf('awaited')))
      .argument('[name]', 'only this one; default: all of the kind')
      .requiredOption(
        '--for <condition>',
        'Available, condition=Applied, condition=Available=False, or delete; upgrades: Completed, Failed, Stopped or Skipped',
      )
      .option('--timeout <duration>', 'give up after this long', '5m')
      .option('-n, --namespace <namespace>', 'only objects of this namespace')
      .option(
        '--commit <ref|any>',
        'accept only a status of this commit or a later one; any: the status as it is (default: the tip of --branch)',
      )
      .option(
        '--partial',
        'placements: fewer clusters than the policy requires are enough; otherwise the placement must be Scheduled too',
      )
      .addOption(branch())
      .action(async (word, name, options) => (await import('../wait/wait.ts')).wait(word, name, options)),
    'wait placement/web --for=Available',
    'wait placements --for=condition=Available --timeout 10m',
    'wait placement/web --for=Available --partial',
    'wait run/payments-1 --for=Succeeded --commit any',
    'wait upgrade/k8s-1-32 --for=Completed --timeout 8h',
  );
}
