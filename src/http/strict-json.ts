import { Failure } from '../failure/failure.ts'

const maxDepth = 64

/**
 * JSON as a careful reader takes it: valid UTF-8, no key twice in one object, no bottomless nesting, no key
 * that would reach into an object's prototype.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  const text = decode(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refuse('The body is not valid JSON.')
  }
  checkShape(text)
  return value
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refuse('The body is not valid UTF-8.')
  }
}

/** The text is known to be valid JSON, so strings and brackets are all there is to follow. */
function checkShape(text: string): void {
  const open: (Set<string> | undefined)[] = []
  let at = 0
  while (at < text.length) {
    const char = text[at]
    if (char === '"') {
      const end = stringEnd(text, at)
      const keys = open.at(-1)
      if (keys !== undefined && nextIsColon(text, end)) takeKey(keys, text.slice(at, end))
      at = end
      continue
    }
    if (char === '{') open.push(new Set())
    else if (char === '[') open.push(undefined)
    else if (char === '}' || char === ']') open.pop()
    if (open.length > maxDepth)
      throw refuse(`The body is nested more than ${maxDepth} levels deep.`)
    at += 1
  }
}

function takeKey(keys: Set<string>, literal: string): void {
  const key = literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
  if (key === '__proto__') throw refuse('The body has a forbidden key.', '__proto__')
  if (keys.has(key))
    throw refuse(`The body has the key "${key.slice(0, 80)}" twice in one object.`, key)
  keys.add(key)
}

function stringEnd(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function nextIsColon(text: string, from: number): boolean {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t' || text[at] === '\r') at += 1
  return text[at] === ':'
}

const refuse = (message: string, field = 'body'): Failure =>
  new Failure('INVALID_REQUEST', message, { details: { field } })
