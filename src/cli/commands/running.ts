import type { Command } from 'commander';
import { defaultAuthor } from '../../git/person.ts';
import { branch, examples, path, ref, repo, statusBranch } from './options.ts';

/** Commands that start something: the demo, simulated members, the daemon, an observation of the members. */
export function runningCommands(gitfleet: Command): void {
  examples(
    gitfleet
      .command('demo')
      .description('run a fleet of simulated clusters: placements, a rolling update, a staged run with an approval')
      .option('--dir <dir>', 'where the demo keeps its repo and state; must be empty or hold an earlier demo')
      .option('--speed <factor>', 'speed of the simulated clusters, as a multiple of real time', '10')
      .option('--exit-when-settled', 'merge the approval, and exit when everything is done')
      .action(async (options) => (await import('../demo/demo.ts')).demo(options)),
    'demo',
    'demo --exit-when-settled --speed 30',
  );

  examples(
    gitfleet
      .command('simulate')
      .description('run simulated clusters on this machine, for kubectl and your own tests')
      .requiredOption('--simulated-fleet <file>', 'SimulatedFleet file')
      .option('--kubeconfig <file>', 'kubeconfig to write, with one context for each cluster', 'kubeconfig')
      .option('--port <port>', 'port on 127.0.0.1; 0 for any free port', '0')
      .option('--speed <factor>', 'speed of the simulated clusters, as a multiple of real time', '1')
      .action(async (options) => (await import('../simulate/simulate.ts')).simulate(options)),
    'simulate --simulated-fleet fleet-repo-example/simulated-fleet.yaml --kubeconfig /tmp/kubeconfig',
  );

  examples(
    gitfleet
      .command('run')
      .description('run the daemon: sync the repo, observe the members, plan, apply, commit status')
      .addOption(repo())
      .addOption(path())
      .addOption(branch())
      .addOption(statusBranch())
      .option(
        '--members <source>',
        'kubeconfig file (contexts are members), directory of kubeconfigs, or "simulated"',
        '$KUBECONFIG',
      )
      .option('--simulated-fleet <file>', 'SimulatedFleet file for --members simulated')
      .option(
        '--cluster-api <file>',
        'kubeconfig of the management clusters that upgrade members by Cluster API (docs/upgrades.md)',
      )
      .option('--cache-dir <dir>', 'clones, parsed files, and the last verified commits; the rest is rebuilt')
      .option(
        '--watch-members <number>',
        'watch the objects of this many members; list those of the others every minute',
        '1000',
      )
      .option('--interval <duration>', 'poll the repo at least this often', '10s')
      .option(
        '--publish-interval <duration>',
        'minimum time between two pushes to a remote; a local repo has no minimum',
        '10s',
      )
      .option(
        '--listen <host:port>',
        'address of /healthz, /readyz, /metrics and /hooks; "off" for none',
        '127.0.0.1:8080',
      )
      .option('--accept-rewind <commit>', 'accept once that the branch was rewound to this commit')
      .option('--verify-commits <format>', 'act only on commits that a key of --verify-keys signed: openpgp or ssh')
      .option('--verify-keys <file>', 'public keys (openpgp), or allowed signers as ssh-keygen has them (ssh)')
      .option('--sign-status <format>', 'sign status commits, and refuse those of others: openpgp or ssh')
      .option('--sign-key <file>', 'private key for --sign-status, without passphrase')
      .option('--accept-status <commit>', 'accept once the record of this unsigned status commit')
      .option('--git-author <name <address>>', 'author of status commits and approval branches', defaultAuthor)
      .option('--grace-period <duration>', 'how long requests to members may take to finish after SIGTERM', '25s')
      .option(
        '--once',
        'reconcile once, publish the result and exit: 2 if a file is invalid, else 4 if the guard refuses, else 3 if no member responds, else 0',
      )
      .option('--strict', 'with --once: exit with 3 also if only some members do not respond')
      .option('--log-level <level>', 'trace, debug, info, warn, error, silent', 'info')
      .option('--log-format <format>', 'json or pretty; default: pretty on a terminal')
      .action(async (options) => (await import('../run/run.ts')).run(options)),
    'run --repo https://git.example.com/platform/fleet.git --members ~/.kube/config',
    'run --repo . --members ./kubeconfigs/ --once',
    'run --repo . --members simulated --simulated-fleet simulated-fleet.yaml',
  );

  examples(
    gitfleet
      .command('observe')
      .description('write the current state of the members, one ClusterObservation file each')
      .requiredOption('--out <dir>', 'directory to write to')
      .addOption(repo())
      .addOption(path())
      .addOption(ref())
      .option('--members <source>', 'kubeconfig file or directory of kubeconfigs', '$KUBECONFIG')
      .option(
        '--cluster-api <file>',
        'kubeconfig of the management clusters that upgrade members by Cluster API (docs/upgrades.md)',
      )
      .option('--timeout <duration>', 'how long to wait for each member', '15s')
      .action(async (options) => (await import('../observe.ts')).observe(options)),
    'observe --out observed/ && gitfleet plan --observed observed/',
  );
}
