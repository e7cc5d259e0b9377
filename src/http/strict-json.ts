import { Failure } from '../failure/failure.ts'

const MAX_DEPTH = 64

/** Parses JSON strictly: valid UTF-8, no duplicate keys, limited nesting, no `__proto__` key. */
export function parseStrictJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  const text = decode(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidBody('The body is not valid JSON.')
  }
  checkShape(text)
  return value
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidBody('The body is not valid UTF-8.')
  }
}

/** The text is valid JSON, so only strings and brackets need to be tracked. */
function checkShape(text: string): void {
  const open: (Set<string> | undefined)[] = []
  let at = 0
  while (at < text.length) {
    const char = text[at]
    if (char === '"') {
      const end = findStringEnd(text, at)
      const keys = open.at(-1)
      if (keys !== undefined && isColonNext(text, end)) addKey(keys, text.slice(at, end))
      at = end
      continue
    }
    if (char === '{') open.push(new Set())
    else if (char === '[') open.push(undefined)
    else if (char === '}' || char === ']') open.pop()
    if (open.length > MAX_DEPTH) throw invalidBody(`The body is nested more than ${MAX_DEPTH} levels deep.`)
    at += 1
  }
}

function addKey(keys: Set<string>, literal: string): void {
  const key = literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
  if (key === '__proto__') throw invalidBody('The body has the forbidden key "__proto__".', '__proto__')
  if (keys.has(key)) throw invalidBody(`The body has the key "${key.slice(0, 80)}" twice in one object.`, key)
  keys.add(key)
}

/** Searches for the quotes instead of reading each character, which is much faster for long strings. */
function findStringEnd(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}

function isColonNext(text: string, from: number): boolean {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t' || text[at] === '\r') at += 1
  return text[at] === ':'
}

const invalidBody = (message: string, field = 'body'): Failure =>
  new Failure('INVALID_REQUEST', message, { details: { field } })
