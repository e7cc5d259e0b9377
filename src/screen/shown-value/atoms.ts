import { foldForScan } from './normalize.ts'

/** A run of digits, of letters or of spaces, or one other character. */
export interface Atom {
  readonly kind: 'digits' | 'word' | 'space' | 'mark'
  /** Folded for scanning. */
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The atoms of a text and how many times scanners looked at one. */
export class AtomList {
  readonly original: string
  readonly atoms: readonly Atom[]
  steps = 0

  constructor(text: string) {
    this.original = text
    this.atoms = Array.from(foldForScan(text).matchAll(ATOM), toAtom)
    this.steps += text.length
  }

  get length(): number {
    return this.atoms.length
  }

  /** The atom at an index; a mark without text outside. */
  at(index: number): Atom {
    this.steps += 1
    return this.atoms[index] ?? NO_ATOM
  }

  isMark(index: number, marks: string): boolean {
    const { kind, text } = this.at(index)
    return kind === 'mark' && text !== '' && marks.includes(text)
  }

  isDigits(index: number, min = 1, max = Number.MAX_SAFE_INTEGER): boolean {
    const { kind, text } = this.at(index)
    return kind === 'digits' && text.length >= min && text.length <= max
  }

  isWord(index: number): boolean {
    return this.at(index).kind === 'word'
  }

  /** The index behind one optional space. */
  skipSpace(index: number): number {
    return this.at(index).kind === 'space' ? index + 1 : index
  }

  /** The index before one optional space. */
  skipSpaceBack(index: number): number {
    return this.at(index).kind === 'space' ? index - 1 : index
  }

  /** The text of an atom before it was folded. */
  readOriginal({ start, end }: Atom): string {
    return this.original.slice(start, end)
  }
}

const ATOM = /\d+|\p{L}[\p{L}\p{M}]*| +|[\s\S]/gu
const NO_ATOM: Atom = { kind: 'mark', text: '', start: -1, end: -1 }

function toAtom({ 0: text, index }: RegExpExecArray): Atom {
  return { kind: readKind(text), text, start: index, end: index + text.length }
}

function readKind(text: string): Atom['kind'] {
  if (/^\d/.test(text)) return 'digits'
  if (text.startsWith(' ')) return 'space'
  return /^\p{L}/u.test(text) ? 'word' : 'mark'
}
