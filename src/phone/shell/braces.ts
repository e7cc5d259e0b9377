import type { Word } from './syntax.ts'

/** More alternatives are not expanded. */
const MAX_WORDS = 1024

/** Expands `{a,b}` in the unquoted text of a word that is text only. */
export function expandBraces(word: Word): readonly Word[] {
  const [piece, ...others] = word
  if (piece?.kind !== 'text' || piece.quoted || others.length > 0 || !/\{[^{}]*,[^{}]*\}/.test(piece.text))
    return [word]
  const texts = expandText(piece.text)
  return texts.map((text) => [{ kind: 'text', text, quoted: false }])
}

/** Expands the innermost braces first. */
function expandText(text: string): readonly string[] {
  let pending = [text]
  for (;;) {
    const next = pending.flatMap(expandOne)
    if (next.length > MAX_WORDS) return [text]
    if (next.length === pending.length) return next
    pending = next
  }
}

function expandOne(text: string): readonly string[] {
  const match = /\{([^{}]*,[^{}]*)\}/.exec(text)
  if (match === null) return [text]
  const [before, after] = [text.slice(0, match.index), text.slice(match.index + match[0].length)]
  return (match[1] ?? '').split(',').map((choice) => `${before}${choice}${after}`)
}
