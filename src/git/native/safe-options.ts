/**
 * Options of every call of git, so that a repository cannot run a program, reach another server or take more memory than
 * expected. A setting on the command line wins over every file, the repository's own `.git/config` included. That file is not
 * pushed, but it often names programs that are: husky sets `core.hooksPath` to a folder of the repository. The list follows the
 * SECURITY part of git(1) and every variable of git-config(1) that holds a command.
 *
 * Not overridden, because they belong to the user who starts gitfleet and cannot be pushed:
 * - `credential.helper`, and the ssh command in GIT_SSH_COMMAND or GIT_SSH: without them private repositories cannot be read.
 *   GIT_ASKPASS and GIT_TERMINAL_PROMPT keep helpers from prompting.
 * - `safe.directory`: git checks the owner where it looks for a repository. With `--git-dir` it does not, and need not, except to sign:
 *   nothing else that the repository configures is run.
 * - `uploadpack.packObjectsHook`: git reads it from the machine's own configuration only.
 * - `include.path`, `url.*.insteadOf`: they lead to settings and addresses, which are subject to this list.
 * - `gpg.program`, `gpg.ssh.program`: only commits that a user makes with a command are signed by git (sign-as-configured.ts), not with
 *   the settings of another user's repository.
 * - External diffs and textconv, merge drivers, aliases, editors: no command that we use reads them.
 * Filters have names of their own, see `filtersOff`.
 */
export const safeOptions: readonly string[] = [
  // An object id means the same object on every machine.
  '--no-replace-objects',
  '--no-pager',
  ...settings({
    'core.hooksPath': '/dev/null',
    'core.fsmonitor': 'false',
    // Runs at every fetch to list the refs of an alternate repository; `true` lists none.
    'core.alternateRefsCommand': 'true',
    // `ext::` runs its own address. `git://` has no integrity, and its proxy (core.gitProxy) is a program.
    'protocol.ext.allow': 'never',
    'protocol.git.allow': 'never',
    // Addresses of submodules are in a file of the repository.
    'submodule.recurse': 'false',
    'fetch.recurseSubmodules': 'false',
    // A server could refer to another one for some of its objects.
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
