/** A part of a text: literal text, an input, or an invalid placeholder. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'broken'; readonly text: string }

const PLACEHOLDER = /\$\$\{|\$\{inputs\.([A-Za-z0-9_]+)\}|\$\{/g

/** `${inputs.name}` is an input, `$${` a literal `${`; any other `${` is broken. */
export function splitPlaceholders(text: string): Part[] {
  const parts: Part[] = []
  let from = 0
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) })
    parts.push(toPart(match))
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) })
  return parts
}

export function listInputs(text: string): string[] {
  return splitPlaceholders(text).flatMap((part) => (part.kind === 'input' ? [part.name] : []))
}

export function hasBrokenPlaceholder(text: string): boolean {
  return splitPlaceholders(text).some(({ kind }) => kind === 'broken')
}

/** The literal text, with a space in place of each input. */
export function removePlaceholders(text: string): string {
  return splitPlaceholders(text)
    .map((part) => (part.kind === 'text' ? part.text : ' '))
    .join('')
}

/** The name of the input if it is the whole text. */
export function findWholeInput(text: string): string | undefined {
  const [only, ...others] = splitPlaceholders(text)
  return only?.kind === 'input' && others.length === 0 ? only.name : undefined
}

function toPart(match: RegExpExecArray): Part {
  const name = match[1]
  if (name !== undefined) return { kind: 'input', name }
  return match[0] === '$${' ? { kind: 'text', text: '${' } : { kind: 'broken', text: '${' }
}
