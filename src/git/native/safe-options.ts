/**
 * What every call of git is given, so that a repository cannot run a program, reach another server or take more memory than
 * expected. A setting on the command line wins over every file, the repository's own `.git/config` included. That file is not
 * pushed, but it often names programs that are: husky sets `core.hooksPath` to a folder of the repository. The list follows the
 * SECURITY part of git(1) and every variable of git-config(1) that holds a command.
 *
 * Left alone, because they belong to whoever starts gitfleet and are no part of what is pushed:
 * - `credential.helper`, and the ssh command in GIT_SSH_COMMAND or GIT_SSH: without them private repositories cannot be read.
 *   GIT_ASKPASS and GIT_TERMINAL_PROMPT keep helpers from asking a person.
 * - `safe.directory`: git checks the owner where it looks for a repository. With `--git-dir` it does not, and need not: nothing
 *   that the repository configures is run.
 * - `uploadpack.packObjectsHook`: git reads it from the machine's own configuration only.
 * - `include.path`, `url.*.insteadOf`: they lead to settings and addresses, which are subject to this list.
 * - `gpg.program`, external diffs and textconv, merge drivers, aliases, editors: no command that we use gets to them.
 * Filters have names of their own, see `filtersOff`.
 */
export const safeOptions: readonly string[] = [
  // What an id stands for is the same on every machine, and whoever reads it.
  '--no-replace-objects',
  '--no-pager',
  ...settings({
    'core.hooksPath': '/dev/null',
    'core.fsmonitor': 'false',
    // Run to list the refs of a repository that lends its objects, at every fetch; `true` lists none.
    'core.alternateRefsCommand': 'true',
    // `ext::` runs its own address. `git://` has no integrity, and its proxy (core.gitProxy) is a program.
    'protocol.ext.allow': 'never',
    'protocol.git.allow': 'never',
    // Addresses of submodules stand in a file of the repository.
    'submodule.recurse': 'false',
    'fetch.recurseSubmodules': 'false',
    // A server could send us to another one for a part of its objects.
    'transfer.bundleURI': 'false',
    'gc.auto': '0',
    'maintenance.auto': 'false',
    // Larger objects are checked while they stream, and never held in memory whole. No file that gitfleet reads is larger.
    'core.bigFileThreshold': '16m',
  }),
];

function settings(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
