import { toOneLine } from '../text/plain-text.ts'

/**
 * Escapes untrusted text for one line of Markdown: no emphasis, links or markup, and no line start that would make a
 * heading, a list or a rule.
 */
export function escapeMarkdown(text: string): string {
  return toOneLine(text, 2000)
    .replaceAll(/[\\`*_{}[\]<>|~#&@]/gu, String.raw`\$&`)
    .replaceAll(/:(?=\/\/)/gu, String.raw`\:`)
    .replaceAll(/\bwww\./giu, (www) => `${www.slice(0, -1)}\\.`)
    .replace(/^[-+=]/u, String.raw`\$&`)
    .replace(/^(\d+)([.)])/u, String.raw`$1\$2`)
}

/** A code span with delimiters that are longer than any run of backticks in the text. */
export function formatCodeSpan(text: string): string {
  const line = toOneLine(text, 4000)
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${fence}${pad}${line}${pad}${fence}`
}
