import type { FileTree } from '../host/file-tree.ts'
import { ArithmeticError, type ArithmeticScope, calculate } from './arithmetic.ts'
import { expandBraces } from './braces.ts'
import { matchFiles, splitFields } from './fields.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { changeText, isAlternative } from './parameters.ts'
import type { Part, PatternPart } from './patterns.ts'
import type { Change, Command, Piece, Word } from './syntax.ts'

/** Values that the expansion of words reads from the shell. */
export interface Environment extends ArithmeticScope {
  readonly files: FileTree
  readonly args: readonly string[]
  /** The value of a variable. Undefined if it is not set. */
  lookUp(name: string): string | undefined
  output(body: Command): Promise<string>
  /** Counts expanded text against the limits of the shell. */
  countText(length: number): void
  reportError(text: string): void
  fail(text: string): never
}

/** Expands the words of a command: braces, substitution, splitting at unquoted blanks, file patterns. */
export function expandWords(words: readonly Word[], environment: Environment): MaybePromise<readonly string[]> {
  if (!words.every((word) => word.every(isPlain))) return expandSequentially(words, environment)
  return words.flatMap(expandBraces).flatMap((word) =>
    toWords(
      word.flatMap((piece, at) => expandPlain(piece, at, environment)),
      environment,
    ),
  )
}

async function expandSequentially(words: readonly Word[], environment: Environment): Promise<readonly string[]> {
  const results: string[] = []
  for (const word of words.flatMap(expandBraces))
    results.push(...toWords(await expandParts(word, environment), environment))
  return results
}

/** Expands a word without splitting it: the value of an assignment or the target of a redirect. */
export async function expandWord(word: Word, environment: Environment): Promise<string> {
  const text = joinText(await expandParts(word, environment))
  environment.countText(text.length)
  return text
}

/** Expands a word that is a pattern: what was quoted matches itself. */
export function expandPattern(word: Word, environment: Environment): Promise<readonly PatternPart[]> {
  return expandParts(word, environment)
}

function joinText(parts: readonly Part[]): string {
  return parts.map(({ text, begins }, index) => (begins === true && index > 0 ? ` ${text}` : text)).join('')
}

/** True for a piece whose expansion needs no command and changes nothing. */
function isPlain(piece: Piece): boolean {
  return piece.kind === 'text' || (piece.kind === 'variable' && piece.change === undefined)
}

async function expandParts(word: Word, environment: Environment): Promise<Part[]> {
  const parts: Part[] = []
  for (const [at, piece] of word.entries()) {
    if (isPlain(piece)) parts.push(...expandPlain(piece, at, environment))
    else parts.push(...(await expandPiece(piece, environment)))
  }
  return parts
}

function expandPlain(piece: Piece, at: number, environment: Environment): readonly Part[] {
  const { quoted } = piece
  if (piece.kind === 'text') {
    const text =
      at === 0 && !quoted && /^~(?=\/|$)/.test(piece.text)
        ? `${environment.variable('HOME')}${piece.text.slice(1)}`
        : piece.text
    return [{ text, quoted, whole: true }]
  }
  if (piece.kind !== 'variable') return []
  const { name } = piece
  if (name === '@' || (name === '*' && !quoted)) {
    return environment.args.map((text, index) => ({ text, quoted, whole: quoted, begins: index > 0 }))
  }
  return [{ text: environment.variable(name), quoted, whole: quoted }]
}

async function expandPiece(piece: Piece, environment: Environment): Promise<readonly Part[]> {
  const { quoted } = piece
  const part = (text: string): readonly Part[] => [{ text, quoted, whole: quoted }]
  switch (piece.kind) {
    case 'text':
      return part(piece.text)
    case 'command':
      return part(await environment.output(piece.body))
    case 'arithmetic':
      return part(await expandArithmetic(piece.expression, environment))
    case 'variable':
      return piece.change === undefined ? [] : expandChange(piece, piece.change, environment)
  }
}

async function expandArithmetic(expression: Word, environment: Environment): Promise<string> {
  const text = await expandWord(expression, environment)
  try {
    return String(calculate(text, environment))
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error
    return environment.fail(`${text}: ${error.message}`)
  }
}

async function expandChange(
  { name, quoted }: Piece & { kind: 'variable' },
  change: Change,
  environment: Environment,
): Promise<readonly Part[]> {
  const { operator, word, second } = change
  const value = environment.lookUp(name)
  if (isAlternative(operator)) return expandAlternative({ name, value, quoted }, { operator, word }, environment)
  const texts = {
    first: await expandParts(word, environment),
    second: second && (await expandWord(second, environment)),
  }
  const count = name === '@' || name === '*' ? environment.args.length : undefined
  const text = changeText(value ?? '', operator, {
    ...texts,
    count,
    calculate: (source) => calculate(source, environment),
  })
  return [{ text, quoted, whole: quoted }]
}

interface NamedValue {
  readonly name: string
  readonly value: string | undefined
  readonly quoted: boolean
}

/** `${NAME:-word}`, `:=`, `:?` and `:+`, and the forms without a colon, for which an empty value counts. */
async function expandAlternative(
  { name, value, quoted }: NamedValue,
  { operator, word }: Pick<Change, 'operator' | 'word'>,
  environment: Environment,
): Promise<readonly Part[]> {
  const isSet = value !== undefined && !(operator.startsWith(':') && value === '')
  const own: readonly Part[] = [{ text: value ?? '', quoted, whole: quoted }]
  const kind = operator.at(-1)
  if (kind === '+') return isSet ? quote(await expandParts(word, environment), quoted) : []
  if (isSet) return own
  if (kind === '-') return quote(await expandParts(word, environment), quoted)
  const text = await expandWord(word, environment)
  if (kind === '?') environment.fail(`${name}: ${text === '' ? 'parameter null or not set' : text}`)
  environment.assign(name, text)
  return [{ text, quoted, whole: quoted }]
}

function quote(parts: readonly Part[], quoted: boolean): readonly Part[] {
  return parts.map((part) => ({ ...part, quoted: part.quoted || quoted, whole: part.quoted || quoted }))
}

function toWords(parts: readonly Part[], environment: Environment): string[] {
  environment.countText(parts.reduce((length, { text }) => length + text.length, 0))
  const separators = environment.lookUp('IFS') ?? ' \t\n'
  return splitFields(parts, separators).flatMap((field) => matchFiles(field, environment.files))
}
