/** Splits a label at line breaks and at separators. Blank parts are left out. */
export function splitLabel(label: string): string[] {
  return label.split(SEPARATORS).flatMap((part) => toPart(part))
}

/** Splits a label at line breaks. Blank lines are left out; `line` counts them. */
export function splitLines(label: string): { readonly text: string; readonly line: number }[] {
  return label.split(LINE_BREAK).flatMap((part, line) => toPart(part).map((text) => ({ text, line })))
}

/** The sentences of a text of several. Empty for one sentence. */
export function splitSentences(text: string): string[] {
  const sentences = text.split(/(?<=\p{L}[.!?…])\s+|(?<=[。！？])/u).flatMap((part) => toPart(part))
  return sentences.length > 1 ? sentences : []
}

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/u

/** A comma inside a number or without a space after it separates nothing. */
const SEPARATORS = /\r\n|[\n\r\u2028\u2029]|(?<![^\S\r\n\u2028\u2029])\s+[·•|–—]\s+|,\s+|[،、，]\s*/u

/** Marks of text direction and joiners are no content. */
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

function toPart(part: string): string[] {
  const text = part.replaceAll(INVISIBLE, '').replaceAll(/\s+/gu, ' ').trim()
  return text === '' ? [] : [text]
}
