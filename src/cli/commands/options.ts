import { type Command, Option } from 'commander';
import { fleetFolder } from '../../git/fleet-folder.ts';
import { offering } from './offer.ts';

export const repo = (): Option =>
  new Option('--repo <dir|url>', 'fleet repo: a directory, a clone, or a URL').default('.');
export const path = (): Option =>
  new Option('--path <dir>', 'folder of the repo that holds the fleet; default: the whole repo').argParser(fleetFolder);
export const ref = (): Option => new Option('--ref <ref>', 'branch, tag or commit to read');
export const branch = (): Option => new Option('--branch <branch>', 'branch with the desired state').default('main');
export const statusBranch = (): Option =>
  new Option('--status-branch <branch>', 'branch that status is committed to').default('fleet-status');
/** `formats` as in a sentence: `table, json or yaml`; the first is the default. */
export const output = (formats: string): Option => {
  const words = formats.split(/, | or /);
  return offering(new Option('-o, --output <format>', formats).default(words[0]), { kind: 'words', words });
};

/** Options for the input of a plan: the same for every command that plans. */
export const planOptions = (command: Command): Command =>
  madeFromFiles(command.addOption(repo()).addOption(path())).addOption(
    new Option('--worktree', 'read the working tree of a clone, committed or not').conflicts('ref'),
  );

/** What makes a plan from files. */
export const madeFromFiles = (command: Command): Command =>
  command
    .addOption(ref())
    .option('--observed <file|dir>', 'state of the members, as gitfleet observe writes it; default: the record')
    .option('--recorded <dir|none>', 'status branch as files, or none; default: the fleet-status branch of the repo')
    .option('--now <instant>', 'plan for this instant (RFC 3339); default: now');

/** Options for the status branch: the same for every command that reads it. */
export const statusOptions = (command: Command): Command =>
  command.addOption(repo()).addOption(path()).addOption(statusBranch());

/** Lines at the end of a command's help that can be copied. */
export const examples = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  gitfleet ${line}`).join('\n')}`);

/** A flag that may be given several times. */
export const list = (value: string, before: readonly string[] = []): string[] => [...before, value];
