export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Scripts that ask the command itself what could come next: `tektite __complete -- WORD...` prints `value<TAB>description` lines. */
const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of tektite for bash. Load it with:  source <(tektite completion bash)
_tektite() {
  local value description
  COMPREPLY=()
  while IFS=$'\\t' read -r value description; do
    COMPREPLY+=("$value")
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _tektite tektite
`,
  zsh: `#compdef tektite
# Completion of tektite for zsh. Load it with:  source <(tektite completion zsh)
_tektite() {
  local value description
  local -a found
  while IFS=$'\\t' read -r value description; do
    found+=("\${value//:/\\\\:}:$description")
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe -t values value found; else _files; fi
}
compdef _tektite tektite
`,
  fish: `# Completion of tektite for fish. Load it with:  tektite completion fish | source
function __tektite_complete
  set -l words (commandline -opc) (commandline -ct)
  tektite __complete -- $words[2..-1] 2>/dev/null
end
complete -c tektite -a '(__tektite_complete)'
`,
};

export function completionScript(shell: Shell): string {
  return scripts[shell];
}
