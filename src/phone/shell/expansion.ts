import type { FileTree } from '../host/file-tree.ts'
import { calculate } from './arithmetic.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { Command, Piece, Word } from './syntax.ts'

/** Values that the expansion of words reads from the shell. */
export interface Environment {
  readonly files: FileTree
  variable(name: string): string
  output(body: Command): Promise<string>
  reportError(text: string): void
}

/** Expands the words of a command: substitution, splitting at unquoted blanks, file patterns. */
export function expandWords(words: readonly Word[], environment: Environment): MaybePromise<readonly string[]> {
  if (words.some(hasCommand)) return expandSequentially(words, environment)
  return words.flatMap((word) => toWords(expandParts(word, environment), environment.files))
}

async function expandSequentially(words: readonly Word[], environment: Environment): Promise<readonly string[]> {
  const results: string[] = []
  for (const word of words) {
    results.push(...toWords(await expandPartsSequentially(word, environment), environment.files))
  }
  return results
}

/** Expands a word without splitting it: the value of an assignment or the target of a redirect. */
export function expandWord(word: Word, environment: Environment): MaybePromise<string> {
  return hasCommand(word)
    ? expandPartsSequentially(word, environment).then(joinText)
    : joinText(expandParts(word, environment))
}

function hasCommand(word: Word): boolean {
  return word.some(({ kind }) => kind === 'command')
}

/** An expanded piece of a word. */
interface Part {
  readonly text: string
  readonly quoted: boolean
  /** Blanks in the text do not split the word. */
  readonly whole: boolean
}

function joinText(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join('')
}

function expandParts(word: Word, environment: Environment): Part[] {
  return word.map((piece, index) => toPart(piece, index, plainText(piece, environment)))
}

/** Expands one piece after the other, because a command changes `$?`. */
async function expandPartsSequentially(word: Word, environment: Environment): Promise<Part[]> {
  const parts: Part[] = []
  for (const [index, piece] of word.entries()) {
    const runs = piece.kind === 'command'
    const text = runs ? await environment.output(piece.body) : plainText(piece, environment)
    parts.push(toPart(piece, index, text))
  }
  return parts
}

function toPart({ kind, quoted }: Piece, index: number, text: string): Part {
  const written = kind === 'text'
  const atHome = written && index === 0 && !quoted && text.startsWith('~')
  return { text: atHome ? expandHome(text) : text, quoted, whole: written || quoted }
}

/** Expands a piece that contains no command. */
function plainText(piece: Piece, environment: Environment): string {
  switch (piece.kind) {
    case 'text':
      return piece.text
    case 'variable':
      return environment.variable(piece.name)
    case 'arithmetic':
      return evaluateArithmetic(piece.text, environment)
    case 'command':
      return ''
  }
}

function evaluateArithmetic(text: string, environment: Environment): string {
  try {
    return String(calculate(text, (name) => environment.variable(name)))
  } catch (error) {
    environment.reportError(`${text}: ${error instanceof Error ? error.message : 'bad number'}`)
    return '0'
  }
}

function expandHome(text: string): string {
  return /^~(?=\/|$)/.test(text) ? `/${text.slice(1)}` : text
}

function toWords(parts: readonly Part[], files: FileTree): string[] {
  return splitFields(parts).flatMap((field) => matchFiles(field, files))
}

/** Splits parts into words at blanks. Parts marked `whole` are not split. */
function splitFields(parts: readonly Part[]): (readonly Part[])[] {
  if (parts.every(({ whole }) => whole)) return parts.length === 0 ? [] : [parts]
  const fields: Part[][] = []
  let open: Part[] | undefined
  const push = (part: Part): void => {
    if (open === undefined) fields.push((open = []))
    open.push(part)
  }
  for (const part of parts) {
    if (part.whole) {
      push(part)
      continue
    }
    for (const [index, text] of part.text.split(/[ \t\n]+/).entries()) {
      if (index > 0) open = undefined
      if (text !== '') push({ ...part, text })
    }
  }
  return fields
}

/** Expands a file pattern. Returns the pattern itself when no file matches. */
function matchFiles(field: readonly Part[], files: FileTree): string[] {
  const text = joinText(field)
  if (!field.some((part) => !part.quoted && /[*?]/.test(part.text))) return [text]
  const slash = text.lastIndexOf('/')
  const folder = text.slice(0, slash + 1)
  if (/[*?]/.test(folder)) return [text]
  const source = field.map((part) => (part.quoted ? escapePattern(part.text) : toPattern(part.text)))
  const pattern = new RegExp(`^${source.join('')}$`)
  const names = files
    .list(folder === '' ? '/' : folder)
    .map((entry) => folder + entry.name)
    .filter((name) => pattern.test(name) && !name.slice(slash + 1).startsWith('.'))
  return names.length === 0 ? [text] : names
}

/** Escapes the characters that have a meaning in a regular expression. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

function toPattern(text: string): string {
  return escapePattern(text)
    .replaceAll(String.raw`\*`, '[^/]*')
    .replaceAll(String.raw`\?`, '[^/]')
}
