/** Takes a pattern apart: `[...]` lists of characters, and single characters. Takes linear time. */
export function splitBrackets(text: string): readonly string[] {
  const pieces: string[] = []
  let at = 0
  let mayClose = true
  while (at < text.length) {
    const end: number | undefined = mayClose && text[at] === '[' ? findEnd(text, at) : undefined
    if (text[at] === '[' && end === undefined) mayClose = false
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
    const next = end ?? at + char.length
    pieces.push(text.slice(at, next))
    at = next
  }
  return pieces
}

/** The place behind the `]` of a list that begins at `start`. A `]` that comes first is one of the characters. */
function findEnd(text: string, start: number): number | undefined {
  let at = start + 1
  if (text[at] === '!' || text[at] === '^') at += 1
  if (text[at] === ']') at += 1
  for (; at < text.length; at += 1) {
    if (text[at] === ']') return at + 1
    if (text[at] !== '[' || text[at + 1] !== ':') continue
    const name = /\[:[a-z]{1,10}:\]/y
    name.lastIndex = at
    if (name.test(text)) at = name.lastIndex - 1
  }
  return undefined
}
