import type { Shell } from './shells.ts';

const bash = `# bash completion of gitfleet. Now:     source <(gitfleet completion bash)
# Always:  gitfleet completion bash > ~/.local/share/bash-completion/completions/gitfleet
_gitfleet() {
  local IFS=$'\\n'
  COMPREPLY=($(gitfleet completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _gitfleet gitfleet`;

const zsh = `#compdef gitfleet
# zsh completion of gitfleet. Now:  source <(gitfleet completion zsh)
# Always, with a folder of fpath:    gitfleet completion zsh > ~/.zsh/completions/_gitfleet
_gitfleet() {
  local -a found
  found=("\${(@f)$(gitfleet completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(\${found:#})
  if (( \${#found} )); then _describe gitfleet found; else _files; fi
}
if [ "$funcstack[1]" = "_gitfleet" ]; then _gitfleet "$@"; else compdef _gitfleet gitfleet; fi`;

const fish = `# fish completion of gitfleet. Now:  gitfleet completion fish | source
# Always:  gitfleet completion fish > ~/.config/fish/completions/gitfleet.fish
function __gitfleet_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (gitfleet completion fish -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    string join \\n -- $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c gitfleet -f -a '(__gitfleet_complete)'`;

const kubectl = `#!/bin/sh
# Completion of \`kubectl gitfleet\`, in a shell that completes kubectl 1.26 or newer. An installation by npm has it already. By hand:
#   gitfleet completion kubectl > ~/bin/kubectl_complete-gitfleet && chmod +x ~/bin/kubectl_complete-gitfleet
exec gitfleet completion kubectl -- "$@"`;

/** The completion scripts. They call gitfleet, so that they complete the commands of the installed version. */
export const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, kubectl };
