import { type ParsedText, textProblem } from './parsed-text.ts'

const MAX_DEPTH = 32

/** Parses JSON and records the line of every value. Refuses duplicate keys and deep nesting. */
export function parseJsonText(text: string): ParsedText {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problems: [textProblem(`Invalid JSON: ${(error as Error).message}`, 1)] }
  }
  const scanner = new JsonScanner(text)
  scanner.run()
  return scanner.problem === undefined
    ? { value, lines: scanner.lines }
    : { problems: [textProblem(scanner.problem, scanner.line)] }
}

interface OpenNode {
  readonly path: string
  /** The keys of an object; undefined for an array. */
  readonly keys: Set<string> | undefined
  item: number
  key: string
  /** Whether the next string is a key. */
  atKey: boolean
}

/** Scans a text that is known to be valid JSON. */
class JsonScanner {
  readonly lines = new Map<string, number>()
  line = 1
  problem: string | undefined
  readonly #text: string
  readonly #open: OpenNode[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  run(): void {
    while (this.#at < this.#text.length && this.problem === undefined) this.#next()
  }

  #next(): void {
    const char = this.#text[this.#at] ?? ''
    const inside = this.#open.at(-1)
    this.#at += 1
    if (char === '\n') this.line += 1
    else if (char === '"') this.#string(inside)
    else if (char === '{' || char === '[') this.#enter(char === '{')
    else if (char === '}' || char === ']') this.#open.pop()
    else if (inside !== undefined && (char === ',' || char === ':')) handleSeparator(char, inside)
    else if (!/\s/.test(char)) this.#scalar()
  }

  #enter(isObject: boolean): void {
    const path = this.#currentPath()
    this.lines.set(path, this.line)
    this.#open.push({
      path,
      keys: isObject ? new Set() : undefined,
      item: 0,
      key: '',
      atKey: isObject,
    })
    if (this.#open.length > MAX_DEPTH) this.problem = `Nested more than ${MAX_DEPTH} levels deep`
  }

  #string(inside: OpenNode | undefined): void {
    const from = this.#at - 1
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === '\\' ? 2 : 1
    this.#at += 1
    if (inside?.keys === undefined || !inside.atKey) {
      this.lines.set(this.#currentPath(), this.line)
      return
    }
    const key = String(JSON.parse(this.#text.slice(from, this.#at)))
    if (inside.keys.has(key)) this.problem = `The key ${key} is used more than once`
    inside.keys.add(key)
    inside.key = key
  }

  #scalar(): void {
    this.lines.set(this.#currentPath(), this.line)
    while (/[^\s,\]}]/.test(this.#text[this.#at] ?? ' ')) this.#at += 1
  }

  #currentPath(): string {
    const inside = this.#open.at(-1)
    if (inside === undefined) return ''
    const name = inside.keys === undefined ? String(inside.item) : inside.key
    return inside.path === '' ? name : `${inside.path}.${name}`
  }
}

function handleSeparator(mark: ',' | ':', inside: OpenNode): void {
  inside.atKey = mark === ',' && inside.keys !== undefined
  if (mark === ',') inside.item += 1
}
