import type { SceneValueSource } from '@apprentice/contracts/scenes/analysis.ts'
import { composeParts } from '../script/value-source.ts'

/** A value in the path or query of an address. */
export interface AddressValue {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly source: SceneValueSource
}

export interface RequestAddress {
  /** The address without its query. Values in the path are written as {name}. */
  readonly url: string
  readonly values: readonly AddressValue[]
}

/** A character that stands for the value with its number. Addresses contain no character of the private use area. */
const MARK_START = 0xe000
const isMark = (character: string): boolean => {
  const code = character.charCodeAt(0)
  return code >= MARK_START && code < 0xf8ff
}

/** Splits the parts of an address into its path, the values in it, and the parameters of its query. */
export function parseAddress(parts: readonly SceneValueSource[]): RequestAddress {
  const values: SceneValueSource[] = []
  const text = parts
    .map((part) => (part.kind === 'constant' ? part.value : String.fromCharCode(MARK_START + values.push(part) - 1)))
    .join('')
  const [path, query] = splitOnce(text, '?')
  const toSource = (piece: string): SceneValueSource =>
    composeParts(
      Array.from(piece).map((character) =>
        isMark(character)
          ? (values[character.charCodeAt(0) - MARK_START] ?? { kind: 'unknown', text: '' })
          : { kind: 'constant' as const, value: character },
      ),
    ) ?? { kind: 'unknown', text: piece }
  const inPath = parsePath(path, toSource)
  return { url: inPath.url, values: [...inPath.values, ...parseQuery(query, toSource)] }
}

function parsePath(path: string, toSource: (piece: string) => SceneValueSource): RequestAddress {
  const values: AddressValue[] = []
  const segments = path.split('/').map((segment, at, all) => {
    if (!Array.from(segment).some(isMark)) return segment
    const name = toValueName(toSource(segment), all[at - 1] ?? '', values)
    values.push({ name, in: 'path', source: toSource(segment) })
    return `{${name}}`
  })
  return { url: segments.join('/'), values }
}

/** The name of a value in a path: its control, or the word before it. */
function toValueName(source: SceneValueSource, before: string, known: readonly AddressValue[]): string {
  const word =
    source.kind === 'control' ? source.control : Array.from(before).some(isMark) || before === '' ? 'value' : before
  const taken = known.filter(({ name }) => name === word || name.startsWith(`${word}_`)).length
  return taken === 0 ? word : `${word}_${taken + 1}`
}

function parseQuery(query: string, toSource: (piece: string) => SceneValueSource): AddressValue[] {
  return query
    .split('&')
    .filter((pair) => pair !== '' && (!isMark(pair.charAt(0)) || pair.includes('=')))
    .map((pair) => {
      const [name, value] = splitOnce(pair, '=')
      return { name: decode(name), in: 'query' as const, source: decodeSource(toSource(value)) }
    })
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + by.length)]
}

const decodeSource = (source: SceneValueSource): SceneValueSource =>
  source.kind === 'constant' ? { kind: 'constant', value: decode(source.value) } : source

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
