import type { FileTree } from '../file-tree.ts'
import { calculate } from './arithmetic.ts'
import type { Command, Word } from './syntax.ts'

/** What words can ask for while they are expanded. */
export interface Environment {
  readonly files: FileTree
  variable(name: string): string
  output(body: Command): Promise<string>
  complain(text: string): void
}

/** Words of a command: expanded, split at blanks where not quoted, and matched against files. */
export async function expandWords(
  words: readonly Word[],
  environment: Environment,
): Promise<string[]> {
  const results: string[] = []
  for (const word of words) {
    for (const field of await fieldsOf(word, environment)) {
      results.push(...matchFiles(field, environment.files))
    }
  }
  return results
}

/** One word that stays one: the value of an assignment or the target of a redirect. */
export async function expandWord(word: Word, environment: Environment): Promise<string> {
  let result = ''
  for (const [index, piece] of word.entries()) {
    const { text, quoted } = await expandPiece(piece, environment)
    result += index === 0 && !quoted && piece.kind === 'text' ? expandHome(text) : text
  }
  return result
}

interface Field {
  text: string
  /** The same text as a pattern: quoted characters stand for themselves. */
  pattern: string
  isPattern: boolean
}

async function fieldsOf(word: Word, environment: Environment): Promise<Field[]> {
  const fields: Field[] = []
  let open: Field | undefined
  const push = (text: string, quoted: boolean): void => {
    open ??= { text: '', pattern: '', isPattern: false }
    open.text += text
    open.pattern += quoted ? literal(text) : patternOf(text)
    open.isPattern ||= !quoted && /[*?]/.test(text)
    if (!fields.includes(open)) fields.push(open)
  }
  for (const [index, piece] of word.entries()) {
    const { text, quoted } = await expandPiece(piece, environment)
    if (piece.kind === 'text' || quoted) {
      push(index === 0 && !quoted ? expandHome(text) : text, quoted)
      continue
    }
    const [first = '', ...others] = text.split(/[ \t\n]+/)
    if (first !== '') push(first, false)
    for (const other of others) {
      open = undefined
      if (other !== '') push(other, false)
    }
  }
  return fields
}

async function expandPiece(
  piece: Word[number],
  environment: Environment,
): Promise<{ readonly text: string; readonly quoted: boolean }> {
  const { quoted } = piece
  switch (piece.kind) {
    case 'text':
      return { text: piece.text, quoted }
    case 'variable':
      return { text: environment.variable(piece.name), quoted }
    case 'command':
      return { text: await environment.output(piece.body), quoted }
    case 'arithmetic':
      return { text: sumOf(piece.text, environment), quoted }
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

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

function patternOf(text: string): string {
  return literal(text)
    .replaceAll(String.raw`\*`, '[^/]*')
    .replaceAll(String.raw`\?`, '[^/]')
}

/** A pattern that fits nothing stays as it was written. */
function matchFiles(field: Field, files: FileTree): string[] {
  const slash = field.text.lastIndexOf('/')
  const folder = field.text.slice(0, slash + 1)
  if (!field.isPattern || /[*?]/.test(folder)) return [field.text]
  const pattern = new RegExp(`^${field.pattern}$`)
  const names = files
    .list(folder === '' ? '/' : folder)
    .map((entry) => folder + entry.name)
    .filter((name) => pattern.test(name) && !name.slice(slash + 1).startsWith('.'))
  return names.length === 0 ? [field.text] : names
}
