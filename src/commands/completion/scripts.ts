import type { CommandWords } from './command-tree.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** Writes the script that makes a shell complete the command line of this program. */
export function formatCompletion(shell: Shell, words: readonly CommandWords[]): string {
  return { bash: formatBash, zsh: formatZsh, fish: formatFish }[shell](words)
}

const listWords = ({ commands, options }: CommandWords): string =>
  [...commands, ...options].map(({ name }) => name).join(' ')

/** The longest known command at the start of the line decides. Where it has no words, file names are completed. */
function formatBash(words: readonly CommandWords[]): string {
  const cases = words.map((entry) => `    '${entry.path}') words='${listWords(entry)}' ;;`)
  return `# Completes the command line in bash. Load it with: source <(apprentice completion bash)
_apprentice_words() {
  local words=''
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
  printf '%s' "$words"
}
_apprentice() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' next word words at
  words="$(_apprentice_words '')"
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    [[ "$word" == -* ]] && continue
    next="\${path:+$path }$word"
    if words="$(_apprentice_words "$next")"; then path="$next"; else words="$(_apprentice_words "$path")"; fi
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _apprentice apprentice
`
}

const quoteZsh = (text: string): string => `'${text.replaceAll("'", "'\\\\''").replaceAll(':', '\\:')}'`
const describeZsh = ({ name, description }: { name: string; description: string }): string =>
  quoteZsh(name) + quoteZsh(`:${description}`).replace('\\:', ':')

function formatZsh(words: readonly CommandWords[]): string {
  const cases = words.map(({ path, commands, options }) => {
    const entries = [...commands, ...options].map(describeZsh)
    return `    '${path}') found=(${entries.join(' ')}) ;;`
  })
  return `#compdef apprentice
# Completes the command line in zsh. Load it with: source <(apprentice completion zsh)
_apprentice_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
_apprentice() {
  local -a found
  local path_words='' next word
  integer at
  _apprentice_words ''
  for ((at = 2; at < CURRENT; at++)); do
    word="\${words[at]}"
    [[ "$word" == -* ]] && continue
    next="\${path_words:+$path_words }$word"
    if _apprentice_words "$next"; then path_words="$next"; else _apprentice_words "$path_words"; fi
  done
  _describe 'apprentice' found
  _files
}
compdef _apprentice apprentice
`
}

const quoteFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function formatFish(words: readonly CommandWords[]): string {
  const lines = words.flatMap(({ path, commands, options }) => {
    const condition = path === '' ? '__fish_use_subcommand' : listFishConditions(path)
    const start = `complete -c apprentice -n ${quoteFish(condition)}`
    const after = commands.map(({ name }) => name).join(' ')
    const isFirst = path !== '' && after !== '' ? `; and not __fish_seen_subcommand_from ${after}` : ''
    const first = `complete -c apprentice -n ${quoteFish(condition + isFirst)}`
    return [
      ...commands.map(({ name, description }) => `${first} -f -a ${quoteFish(name)} -d ${quoteFish(description)}`),
      ...options.map(({ name, description, takesValue }) => {
        const value = takesValue ? ' -r' : ''
        return `${start} -l ${quoteFish(name.slice(2))}${value} -d ${quoteFish(description)}`
      }),
    ]
  })
  return `# Completes the command line in fish. Save it as ~/.config/fish/completions/apprentice.fish\n${lines.join('\n')}\n`
}

const listFishConditions = (path: string): string =>
  path
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ')
