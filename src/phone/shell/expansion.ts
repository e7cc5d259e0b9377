import type { FileTree } from '../host/file-tree.ts'
import { calculate } from './arithmetic.ts'
import type { Eventually } from './maybe-promise.ts'
import type { Command, Piece, Word } from './syntax.ts'

/** What words can ask for while they are expanded. */
export interface Environment {
  readonly files: FileTree
  variable(name: string): string
  output(body: Command): Promise<string>
  complain(text: string): void
}

/** Words of a command: expanded, split at blanks where not quoted, and matched against files. */
export function expandWords(
  words: readonly Word[],
  environment: Environment,
): Eventually<readonly string[]> {
  if (words.some(asksCommand)) return expandInTurn(words, environment)
  return words.flatMap((word) => wordsOf(partsOf(word, environment), environment.files))
}

async function expandInTurn(
  words: readonly Word[],
  environment: Environment,
): Promise<readonly string[]> {
  const results: string[] = []
  for (const word of words) {
    results.push(...wordsOf(await partsInTurn(word, environment), environment.files))
  }
  return results
}

/** One word that stays one: the value of an assignment or the target of a redirect. */
export function expandWord(word: Word, environment: Environment): Eventually<string> {
  return asksCommand(word)
    ? partsInTurn(word, environment).then(textOf)
    : textOf(partsOf(word, environment))
}

function asksCommand(word: Word): boolean {
  return word.some(({ kind }) => kind === 'command')
}

/** What a piece of a word came to. */
interface Part {
  readonly text: string
  readonly quoted: boolean
  /** Written as it is, so blanks in it cannot divide the word. */
  readonly whole: boolean
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join('')
}

function partsOf(word: Word, environment: Environment): Part[] {
  return word.map((piece, index) => partOf(piece, index, plainText(piece, environment)))
}

/** Piece by piece, because a command changes what `$?` is after it. */
async function partsInTurn(word: Word, environment: Environment): Promise<Part[]> {
  const parts: Part[] = []
  for (const [index, piece] of word.entries()) {
    const runs = piece.kind === 'command'
    const text = runs ? await environment.output(piece.body) : plainText(piece, environment)
    parts.push(partOf(piece, index, text))
  }
  return parts
}

function partOf({ kind, quoted }: Piece, index: number, text: string): Part {
  const written = kind === 'text'
  const atHome = written && index === 0 && !quoted && text.startsWith('~')
  return { text: atHome ? expandHome(text) : text, quoted, whole: written || quoted }
}

/** The text of any piece that needs no command to be run. */
function plainText(piece: Piece, environment: Environment): string {
  switch (piece.kind) {
    case 'text':
      return piece.text
    case 'variable':
      return environment.variable(piece.name)
    case 'arithmetic':
      return sumOf(piece.text, environment)
    case 'command':
      return ''
  }
}

function sumOf(text: string, environment: Environment): string {
  try {
    return String(calculate(text, (name) => environment.variable(name)))
  } catch (error) {
    environment.complain(`${text}: ${error instanceof Error ? error.message : 'bad number'}`)
    return '0'
  }
}

function expandHome(text: string): string {
  return /^~(?=\/|$)/.test(text) ? `/${text.slice(1)}` : text
}

function wordsOf(parts: readonly Part[], files: FileTree): string[] {
  return fieldsOf(parts).flatMap((field) => matchFiles(field, files))
}

/** The parts of each word that remains once blanks have divided what was not whole. */
function fieldsOf(parts: readonly Part[]): (readonly Part[])[] {
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

/** A pattern that fits nothing stays as it was written. */
function matchFiles(field: readonly Part[], files: FileTree): string[] {
  const text = textOf(field)
  if (!field.some((part) => !part.quoted && /[*?]/.test(part.text))) return [text]
  const slash = text.lastIndexOf('/')
  const folder = text.slice(0, slash + 1)
  if (/[*?]/.test(folder)) return [text]
  const source = field.map((part) => (part.quoted ? literal(part.text) : patternOf(part.text)))
  const pattern = new RegExp(`^${source.join('')}$`)
  const names = files
    .list(folder === '' ? '/' : folder)
    .map((entry) => folder + entry.name)
    .filter((name) => pattern.test(name) && !name.slice(slash + 1).startsWith('.'))
  return names.length === 0 ? [text] : names
}

/** Quoted characters stand for themselves. */
function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

function patternOf(text: string): string {
  return literal(text)
    .replaceAll(String.raw`\*`, '[^/]*')
    .replaceAll(String.raw`\?`, '[^/]')
}
