import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

const ROOT = join(import.meta.dirname, '..', '..')
const FOLDERS = ['src', 'contracts']

/** A regular expression in the source. */
export interface SourcePattern {
  readonly source: string
  readonly flags: string
  /** Where it is: `file:line`, once for each place. */
  readonly places: string[]
}

/** A place where a regular expression is made from a text. */
export interface ComposedPattern {
  readonly place: string
  readonly code: string
}

interface Node {
  readonly type?: string
  readonly start?: number
  readonly end?: number
  readonly regex?: { readonly pattern: string; readonly flags: string }
  readonly callee?: { readonly name?: string }
}

/** All regular expressions of the source, found by a parser. */
export function collectPatterns(): { literals: SourcePattern[]; composed: ComposedPattern[] } {
  const literals = new Map<string, SourcePattern>()
  const composed: ComposedPattern[] = []
  for (const file of listSources()) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const lang = file.endsWith('x') ? 'tsx' : 'ts'
    for (const node of walk(parseAst(text, { lang }, file))) {
      const place = `${file}:${text.slice(0, node.start).split('\n').length}`
      if (node.regex !== undefined) {
        const key = `/${node.regex.pattern}/${node.regex.flags}`
        const known = literals.get(key) ?? { source: node.regex.pattern, flags: node.regex.flags, places: [] }
        known.places.push(place)
        literals.set(key, known)
      } else if (node.type === 'NewExpression' && node.callee?.name === 'RegExp') {
        composed.push({ place, code: text.slice(node.start, node.end) })
      }
    }
  }
  return { literals: [...literals.values()], composed }
}

function listSources(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:tsx?|mjs|js)$/.test(file) && !/node_modules|\.d\.m?ts$/.test(file))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  )
}

function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* walk(item)
  else if (value !== null && typeof value === 'object') {
    yield value
    for (const inner of Object.values(value)) yield* walk(inner)
  }
}
