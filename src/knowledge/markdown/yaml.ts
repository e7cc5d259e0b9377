import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { isBottomless } from './yaml-depth.ts'

export interface YamlPlace {
  /** The line of the document its first line is. */
  readonly firstLine: number
  /** What the document calls it: the lines are told of places below that. */
  readonly name?: string | undefined
}

export interface YamlProblem {
  readonly message: string
  readonly line: number
}

export interface YamlRefusal {
  /** `unsafe` is YAML, only not of the kind that is read here. */
  readonly why: 'too_long' | 'broken' | 'unsafe'
  readonly problems: readonly YamlProblem[]
}

/** What is said and on which lines, or why it says nothing. */
export type YamlRead =
  | { readonly value: unknown; readonly lines: ReadonlyMap<string, number> }
  | YamlRefusal

const MAX_DEPTH = 32
const MAX_LENGTH = 16_000
const tooDeep = `Nested more than ${MAX_DEPTH} levels deep`

/**
 * YAML 1.2 with the core schema and nothing that refers elsewhere: no anchors, aliases, tags, directives. The time
 * it takes grows with the square of the keys, hence the limit of length.
 */
export function readYaml(text: string, { firstLine, name = '' }: YamlPlace): YamlRead {
  const refused = (why: YamlRefusal['why'], message: string, line = firstLine): YamlRefusal => ({
    why,
    problems: [{ message, line }],
  })
  if (text.length > MAX_LENGTH) {
    return refused('too_long', `The block is longer than ${MAX_LENGTH} characters`)
  }
  if (isBottomless(text)) return refused('unsafe', tooDeep)
  const counter = new LineCounter()
  const document = parseDocument(text, { ...kind, lineCounter: counter })
  const lineAt = (offset: number) => firstLine + counter.linePos(offset).line - 1
  const { errors, directives } = document
  if (errors.length > 0) {
    const why = errors.every(({ code }) => code === 'NON_STRING_KEY') ? 'unsafe' : 'broken'
    const problems = errors
      .slice(0, 10)
      .map(({ message, pos }) => ({ message: firstLineOf(message), line: lineAt(pos[0]) }))
    return { why, problems }
  }
  if (directives?.yaml.explicit === true) return refused('unsafe', 'A block has no directives')
  const walk = new YamlWalk(lineAt)
  walk.node(document.contents, name, 0)
  if (walk.problem !== undefined) return refused('unsafe', walk.problem, walk.problemLine)
  return { value: document.toJS(), lines: walk.lines }
}

const kind = {
  version: '1.2',
  schema: 'core',
  merge: false,
  uniqueKeys: true,
  prettyErrors: false,
  stringKeys: true,
  logLevel: 'error',
} as const

/** Notes the line of every value, and the first thing that may not be there. */
class YamlWalk {
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
    if (depth > MAX_DEPTH) this.#refuse(tooDeep, line)
    else if (isAlias(node) || node.anchor !== undefined) this.#refuse('No anchors here', line)
    else if (node.tag !== undefined) this.#refuse('No tags here', line)
    else if (isSeq(node)) {
      for (const [at, item] of node.items.entries()) this.node(item, join(path, at), depth + 1)
    } else if (isMap(node)) {
      for (const { key, value } of node.items) this.#pair(key, value, { path, depth })
    }
  }

  #pair(key: unknown, value: unknown, { path, depth }: { path: string; depth: number }): void {
    const name = isScalar(key) ? String(key.value) : ''
    this.node(key, join(path, name), depth + 1)
    // A value on the lines below its key is looked for where the key is.
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

function firstLineOf(message: string): string {
  return message.split('\n', 1)[0] ?? message
}
