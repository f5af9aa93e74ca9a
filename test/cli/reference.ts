import type { Command } from 'commander';
import { program } from '../../src/cli/program.ts';

/** Characters a line of help may have in the reference, whatever terminal it is made on. */
const helpWidth = 110;

const introduction = `# Command line
Every command of \`gitfleet\` with its flags, as \`gitfleet COMMAND --help\` prints them. Installed as \`kubectl-gitfleet\` too, so
that \`kubectl gitfleet get placements\` works.

Results go to stdout, everything else to stderr. \`-o json\` and \`-o yaml\` print whole documents with \`apiVersion\` and \`kind\`.
Colours are for terminals only; \`NO_COLOR\` turns them off, \`FORCE_COLOR\` on. A word that is not known is answered with the nearest
one that is.

| exit code | means |
|---|---|
| 0 | done, or nothing to do |
| 1 | something to do: the plan asks something of a member, there are differences, the time to wait is over, or nothing fits the question |
| 2 | invalid input: a mistake in a file (with file, line and column) or on the command line, such as a name that does not exist |
| 3 | something that was named cannot be reached: a repository, a branch, a file, a member |
| 4 | refused by the guard |

| environment | is |
|---|---|
| \`GITFLEET_GIT_TOKEN\`, or \`GITFLEET_GIT_USERNAME\` and \`GITFLEET_GIT_PASSWORD\` | what git over HTTP(S) logs in with |
| \`GITFLEET_WEBHOOK_SECRET\` | signs \`POST /hooks/git\`; \`run\` checks it, \`reconcile\` sends it |
| \`KUBECONFIG\` | the members, unless \`--members\` names them |
| \`GITFLEET_DEBUG\` | prints where in the program an error came from |

The tokens, the password and the secret may each stand in a file that the same name with \`_FILE\` names.
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
