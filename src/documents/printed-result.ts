import { EngineFault } from './engine-fault.ts'

/** A result that is printed as JSON. */
export interface PrintedResult {
  readonly head: object
  /** The list that may be long. Its items are made when they are printed. */
  readonly list: { readonly name: string; readonly items: Iterable<object> }
  readonly tail: object
}

/** Of an output, in characters. */
const MOST_OUTPUT = 64 * 1_048_576
/** Shorter pieces are joined, because each is written by itself. */
const PIECE_CHARACTERS = 65_536

/** Prints a result item by item, so that no turn of the event loop is as long as the document. */
export function* printResult({ head, list, tail }: PrintedResult): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},${JSON.stringify(list.name)}:[`
  let separator = ''
  for (const item of list.items) {
    yield `${separator}${JSON.stringify(item)}`
    separator = ','
  }
  yield `],${JSON.stringify(tail).slice(1)}\n`
}

/** The texts with a separator between them. */
export function* separateTexts<T>(
  items: Iterable<T>,
  separator: string,
  print: (item: T) => string,
): Generator<string> {
  let before = ''
  for (const item of items) {
    yield `${before}${print(item)}`
    before = separator
  }
}

/** Joins short pieces. Throws when there are more characters than an output may have. */
export function* joinPieces(pieces: Iterable<string>): Generator<string> {
  let characters = 0
  let joined = ''
  for (const piece of pieces) {
    characters += piece.length
    if (characters > MOST_OUTPUT) throw new EngineFault('output_limit')
    joined += piece
    if (joined.length < PIECE_CHARACTERS) continue
    yield joined
    joined = ''
  }
  if (joined !== '') yield joined
}
