import type { Command } from 'commander';
import { program } from '../../src/cli/program.ts';

/** Characters a line of help may have in the reference, whatever terminal it is made on. */
const helpWidth = 110;

const introduction = `# Command line
Every command of \`gitfleet\` with its flags, as \`gitfleet COMMAND --help\` prints them. An installation adds
\`kubectl-gitfleet\` too, so \`kubectl gitfleet get placements\` works.

Results go to stdout, everything else to stderr. \`-o json\` and \`-o yaml\` print whole documents with \`apiVersion\` and \`kind\`.
Colours are for terminals only; \`NO_COLOR\` turns them off, \`FORCE_COLOR\` on. For an unknown word gitfleet suggests the nearest
known one.

| exit code | meaning |
|---|---|
| 0 | done, or nothing to do |
| 1 | something to do: the plan changes a member, there are differences, a wait timed out, a check failed, or trace finds no owner |
| 2 | invalid input: a mistake in a file (with file, line and column) or on the command line, such as a name that does not exist |
| 3 | something named cannot be reached: a repository, a branch, a file, a member |
| 4 | refused by the guard |

| environment | use |
|---|---|
| \`GITFLEET_GIT_TOKEN\`, or \`GITFLEET_GIT_USERNAME\` and \`GITFLEET_GIT_PASSWORD\` | credentials for git over HTTP(S) |
| \`GITFLEET_WEBHOOK_SECRET\` | signs \`POST /hooks/…\`; \`run\` checks it, \`reconcile\` sends it |
| \`KUBECONFIG\` | kubeconfig of the members, without \`--members\` |
| \`GITFLEET_DEBUG\` | prints stack traces of errors |

The token, the password and the secret can each come from a file: append \`_FILE\` to the name and give the path.
`;

/** `docs/cli.md`: made from the commands themselves. */
export function reference(): string {
  const gitfleet = program();
  const groups = Map.groupBy(gitfleet.commands, (command) => command.helpGroup());
  const chapters = [...groups].map(([group, commands]) =>
    [`## ${group.replace(/:$/, '')}`, ...commands.map(section)].join('\n\n'),
  );
  return `${[introduction.trimEnd(), ...chapters].join('\n\n')}\n`;
}

const section = (command: Command): string => `### ${command.name()}\n\`\`\`text\n${helpOf(command).trimEnd()}\n\`\`\``;

function helpOf(command: Command): string {
  let text = '';
  command.configureHelp({ helpWidth }).configureOutput({
    writeOut: (chunk) => {
      text += chunk;
    },
    getOutHelpWidth: () => helpWidth,
  });
  command.outputHelp();
  return text;
}
