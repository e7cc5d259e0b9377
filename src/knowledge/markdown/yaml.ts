import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { findYamlExcess } from './yaml-depth.ts'

export interface YamlSource {
  /** The line number of the first line of the text in its document. */
  readonly firstLine: number
  /** The path of the text in its document, a prefix of all reported paths. */
  readonly name?: string | undefined
  /** How many tokens the text may have. The time of the parser depends on them more than on the length. */
  readonly maxTokens?: number | undefined
}

export interface YamlProblem {
  readonly message: string
  readonly line: number
}

export interface YamlRefusal {
  /** `unsafe` is valid YAML with a construct that is not accepted. */
  readonly why: 'too_long' | 'broken' | 'unsafe'
  readonly problems: readonly YamlProblem[]
}

/** The value and the line number of each path, or the reason for a refusal. */
export type YamlRead = { readonly value: unknown; readonly lines: ReadonlyMap<string, number> } | YamlRefusal

const MAX_DEPTH = 32
const MAX_LENGTH = 16_000
const TOO_DEEP = `Nested more than ${MAX_DEPTH} levels deep`

/**
 * Parses YAML 1.2 with the core schema, without anchors, aliases, tags and directives. Parse time grows with the square
 * of the number of keys, so the length is limited.
 */
export function readYaml(text: string, { firstLine, name = '', maxTokens = Infinity }: YamlSource): YamlRead {
  const refused = (why: YamlRefusal['why'], message: string, line = firstLine): YamlRefusal => ({
    why,
    problems: [{ message, line }],
  })
  if (text.length > MAX_LENGTH) {
    return refused('too_long', `The block is longer than ${MAX_LENGTH} characters`)
  }
  const excess = findYamlExcess(text, maxTokens)
  if (excess === 'depth') return refused('unsafe', TOO_DEEP)
  if (excess === 'tokens') return refused('too_long', `The block has more than ${maxTokens} tokens`)
  const counter = new LineCounter()
  const document = parseDocument(text, { ...PARSE_OPTIONS, lineCounter: counter })
  const lineAt = (offset: number) => firstLine + counter.linePos(offset).line - 1
  const { errors, directives } = document
  if (errors.length > 0) {
    const why = errors.every(({ code }) => code === 'NON_STRING_KEY') ? 'unsafe' : 'broken'
    const problems = errors
      .slice(0, 10)
      .map(({ message, pos }) => ({ message: takeFirstLine(message), line: lineAt(pos[0]) }))
    return { why, problems }
  }
  if (directives?.yaml.explicit === true) return refused('unsafe', 'YAML directives are not allowed')
  const walker = new YamlWalker(lineAt)
  walker.node(document.contents, name, 0)
  if (walker.problem !== undefined) return refused('unsafe', walker.problem, walker.problemLine)
  return { value: document.toJS(), lines: walker.lines }
}

const PARSE_OPTIONS = {
  version: '1.2',
  schema: 'core',
  merge: false,
  uniqueKeys: true,
  prettyErrors: false,
  stringKeys: true,
  logLevel: 'error',
} as const

/** Records the line of every value and the first construct that is not allowed. */
class YamlWalker {
  readonly lines = new Map<string, number>()
  problem: string | undefined
  problemLine = 1
  readonly #lineAt: (offset: number) => number

  constructor(lineAt: (offset: number) => number) {
    this.#lineAt = lineAt
  }

  node(node: unknown, path: string, depth: number): void {
    if (!isNode(node) || this.problem !== undefined) return
    const line = this.#lineAt(node.range?.[0] ?? 0)
    this.lines.set(path, line)
    if (depth > MAX_DEPTH) this.#refuse(TOO_DEEP, line)
    else if (isAlias(node) || node.anchor !== undefined) this.#refuse('YAML anchors and aliases are not allowed', line)
    else if (node.tag !== undefined) this.#refuse('YAML tags are not allowed', line)
    else if (isSeq(node)) {
      for (const [at, item] of node.items.entries()) this.node(item, join(path, at), depth + 1)
    } else if (isMap(node)) {
      for (const { key, value } of node.items) this.#pair(key, value, { path, depth })
    }
  }

  #pair(key: unknown, value: unknown, { path, depth }: { path: string; depth: number }): void {
    const name = isScalar(key) ? String(key.value) : ''
    this.node(key, join(path, name), depth + 1)
    // The line of a value is the line of its key, also if the value starts below it.
    const keyLine = this.lines.get(join(path, name))
    this.node(value, join(path, name), depth + 1)
    if (keyLine !== undefined) this.lines.set(join(path, name), keyLine)
  }

  #refuse(message: string, line: number): void {
    this.problem = message
    this.problemLine = line
  }
}

function join(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`
}

function takeFirstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message
}
