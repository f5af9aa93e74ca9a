import type { Command } from 'commander';
import { defaultAuthor } from '../../git/person.ts';
import { branch, examples, ref, repo, statusBranch } from './options.ts';

/** Commands that start something: the demo, simulated members, the daemon, a look at the members. */
export function runningCommands(gitfleet: Command): void {
  examples(
    gitfleet
      .command('demo')
      .description('a fleet of simulated clusters, live: placements, a rolling update, a staged run with an approval')
      .option('--dir <dir>', 'where the demo keeps its repo and state; must be empty or a demo of before')
      .option('--speed <factor>', 'how much faster than real time the simulated clusters live', '10')
      .option('--exit-when-settled', 'merge the approval, and end when everything is done')
      .action(async (options) => (await import('../demo/demo.ts')).demo(options)),
    'demo',
    'demo --exit-when-settled --speed 30',
  );

  examples(
    gitfleet
      .command('simulate')
      .description('simulated clusters on this machine, for kubectl and for tests of your own')
      .requiredOption('--simulated-fleet <file>', 'SimulatedFleet file')
      .option('--kubeconfig <file>', 'kubeconfig to write, with one context for each cluster', 'kubeconfig')
      .option('--port <port>', 'port on 127.0.0.1; 0 for any that is free', '0')
      .option('--speed <factor>', 'how much faster than real time the simulated clusters live', '1')
      .action(async (options) => (await import('../simulate/simulate.ts')).simulate(options)),
    'simulate --simulated-fleet fleet-repo-example/simulated-fleet.yaml --kubeconfig /tmp/kubeconfig',
  );

  examples(
    gitfleet
      .command('run')
      .description('the daemon: sync the repo, observe the members, plan, apply, commit status')
      .addOption(repo())
      .addOption(branch())
      .addOption(statusBranch())
      .option(
        '--members <source>',
        'kubeconfig file (contexts are members), directory of kubeconfigs, or "simulated"',
        '$KUBECONFIG',
      )
      .option('--simulated-fleet <file>', 'SimulatedFleet file for --members simulated')
      .option('--cache-dir <dir>', 'for clones and parsed files; can be deleted at any time')
      .option(
        '--watch-members <number>',
        'hold watches open to so many members; objects of the others are listed every minute',
        '1000',
      )
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
      .option(
        '--once',
        'do what can be done now, record what came of it, then end: with 2 when a file is wrong, else 4 when the guard refuses, else 3 when no member answers, else 0',
      )
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
      .description('write what the members look like now, one ClusterObservation file each')
      .requiredOption('--out <dir>', 'directory to write to')
      .addOption(repo())
      .addOption(ref())
      .option('--members <source>', 'kubeconfig file or directory of kubeconfigs', '$KUBECONFIG')
      .option('--timeout <duration>', 'how long to wait for a member', '15s')
      .action(async (options) => (await import('../observe.ts')).observe(options)),
    'observe --out observed/ && gitfleet plan --observed observed/',
  );
}
