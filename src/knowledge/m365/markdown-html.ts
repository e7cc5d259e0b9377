const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => ESCAPES[mark] ?? mark)

/**
 * Markdown as the HTML that mail, events and chats accept: paragraphs, headings, lists, emphasis, code and links. Markup
 * in the text is shown and not interpreted.
 */
export function toHtml(markdown: string): string {
  const blocks: string[] = []
  let items: { readonly tag: 'ul' | 'ol'; readonly lines: string[] } | undefined
  let lines: string[] = []
  const endParagraph = (): void => {
    if (lines.length > 0) blocks.push(`<p>${lines.map(formatSpans).join('<br>')}</p>`)
    lines = []
  }
  const endList = (): void => {
    if (items !== undefined) blocks.push(`<${items.tag}>${items.lines.map(formatItem).join('')}</${items.tag}>`)
    items = undefined
  }
  for (const line of markdown.split(/\r?\n/)) {
    const item = readItem(line)
    const heading = /^(#{1,6}) {1,4}(\S.*)$/.exec(line)
    if (item === undefined) endList()
    else endParagraph()
    if (item !== undefined) {
      if (items?.tag !== item.tag) endList()
      items ??= { tag: item.tag, lines: [] }
      items.lines.push(item.text)
    } else if (heading !== null) {
      endParagraph()
      const level = heading[1]?.length ?? 1
      blocks.push(`<h${level}>${formatSpans(heading[2] ?? '')}</h${level}>`)
    } else if (line.trim() === '') endParagraph()
    else lines.push(line)
  }
  endParagraph()
  endList()
  return blocks.join('')
}

function readItem(line: string): { readonly tag: 'ul' | 'ol'; readonly text: string } | undefined {
  const bullet = /^ {0,3}[-*] {1,4}(\S.*)$/.exec(line)
  if (bullet !== null) return { tag: 'ul', text: bullet[1] ?? '' }
  const number = /^ {0,3}\d{1,3}[.)] {1,4}(\S.*)$/.exec(line)
  return number === null ? undefined : { tag: 'ol', text: number[1] ?? '' }
}

const formatItem = (text: string): string => `<li>${formatSpans(text)}</li>`

/** Code first, because nothing in it is markup. */
function formatSpans(text: string): string {
  return text
    .split(/(`[^`]{1,400}`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : formatEmphasis(part)))
    .join('')
}

const formatEmphasis = (text: string): string =>
  escapeHtml(text)
    .replaceAll(
      /\[([^[\]]{1,400})\]\(((?:https?:\/\/|mailto:)[^\s()]{1,2000})\)/g,
      (_whole, label: string, url: string) => `<a href="${url}">${label}</a>`,
    )
    .replaceAll(/\*\*([^*]{1,1000})\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\*([^*\s][^*]{0,1000})\*/g, '<em>$1</em>')
