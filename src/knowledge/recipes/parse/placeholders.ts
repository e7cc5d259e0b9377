/** A stretch of a text: written out, an input that stands there, or something that is neither. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'broken'; readonly text: string }

const MARKS = /\$\$\{|\$\{inputs\.([A-Za-z0-9_]+)\}|\$\{/g

/** `${inputs.name}` is an input, `$${` a written-out `${`; any other `${` is broken. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = []
  let from = 0
  for (const match of text.matchAll(MARKS)) {
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) })
    parts.push(partOf(match))
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) })
  return parts
}

export function inputsIn(text: string): string[] {
  return partsOf(text).flatMap((part) => (part.kind === 'input' ? [part.name] : []))
}

export function hasBrokenPlaceholder(text: string): boolean {
  return partsOf(text).some(({ kind }) => kind === 'broken')
}

/** The text without its inputs, for those who look at what is written out. */
export function literalOf(text: string): string {
  return partsOf(text)
    .map((part) => (part.kind === 'text' ? part.text : ' '))
    .join('')
}

/** The input a text wholly stands for. */
export function wholeInput(text: string): string | undefined {
  const [only, ...others] = partsOf(text)
  return only?.kind === 'input' && others.length === 0 ? only.name : undefined
}

function partOf(match: RegExpExecArray): Part {
  const name = match[1]
  if (name !== undefined) return { kind: 'input', name }
  return match[0] === '$${' ? { kind: 'text', text: '${' } : { kind: 'broken', text: '${' }
}
