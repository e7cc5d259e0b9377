/** A text split into what is written for readers and what is shown as code. */
export interface SplitText {
  /** The text without fenced blocks and code spans. Each is replaced by a space or its line ends. */
  readonly prose: string
  /** The contents of the fenced blocks, with the language after the fence. */
  readonly blocks: readonly { readonly language: string; readonly text: string }[]
}

/** Splits Markdown at its fences. A fence is closed by one of the same character that is at least as long. */
export function splitCode(text: string): SplitText {
  const prose: string[] = []
  const blocks: { language: string; text: string }[] = []
  let open: { mark: string; language: string; lines: string[] } | undefined
  for (const line of text.split(/\r?\n/)) {
    const [, mark = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.{0,200})/.exec(line) ?? []
    if (open === undefined && mark !== '' && !(mark.startsWith('`') && info.includes('`'))) {
      open = { mark, language: info.trim().split(/\s/, 1)[0] ?? '', lines: [] }
      prose.push('')
    } else if (open !== undefined && mark.startsWith(open.mark) && info.trim() === '') {
      blocks.push({ language: open.language, text: open.lines.join('\n') })
      open = undefined
      prose.push('')
    } else if (open === undefined) prose.push(line)
    else {
      open.lines.push(line)
      prose.push('')
    }
  }
  if (open !== undefined) blocks.push({ language: open.language, text: open.lines.join('\n') })
  return { prose: removeCodeSpans(prose.join('\n')), blocks }
}

const removeCodeSpans = (text: string): string => text.replaceAll(/`[^`\n]{1,400}`|``[^\n]{1,400}?``/g, ' ')
