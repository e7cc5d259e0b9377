import { Buffer, isUtf8 } from 'node:buffer'
import { blockedTermFinder } from '../recipes/check/literal-detectors.ts'
import type { Findings } from './findings.ts'
import { isInstruction, lintInstructions } from './instruction-rules.ts'
import { isScript, lintScript } from './script-rules.ts'
import { findSecrets, findUnnamedSecrets, judgeSecretFile } from './secrets.ts'
import { lintMagic } from './structure-rules.ts'

/** A file is looked at in parts of this size, so that a large one never lies in memory. */
const partBytes = 1 << 20
const headBytes = 4096

export interface ScannedFile {
  readonly path: string
  readonly bytes: number
  readonly script: boolean
  /** The first part of a text; absent for anything else. */
  readonly text?: string | undefined
  readonly utf8: boolean
}

/** Takes one file in, piece by piece, and finds what is wrong with it. */
export class FileScan {
  readonly #path: string
  readonly #size: number
  readonly #findings: Findings
  readonly #terms: readonly string[]
  #parts: Buffer[] = []
  #held = 0
  #bytes = 0
  #binary = false
  #script = false
  #first: { readonly text: string; readonly utf8: boolean } | undefined

  constructor(
    { path, size }: { readonly path: string; readonly size: number },
    findings: Findings,
    terms: readonly string[],
  ) {
    this.#path = path
    this.#size = size
    this.#findings = findings
    this.#terms = terms
    judgeSecretFile(path, findings)
  }

  /** The bytes are copied where they are kept; most files come in one piece and are not. */
  piece(bytes: Buffer): void {
    if (this.#bytes === 0) this.#begin(bytes)
    this.#bytes += bytes.length
    if (this.#binary) return
    let rest = bytes
    while (rest.length > 0) {
      const taken = rest.subarray(0, partBytes - this.#held)
      rest = rest.subarray(taken.length)
      const isLast = rest.length === 0 && this.#bytes === this.#size
      if (this.#held === 0 && (taken.length === partBytes || isLast)) this.#look(taken)
      else this.#hold(taken)
    }
  }

  #hold(bytes: Buffer): void {
    this.#parts.push(Buffer.from(bytes))
    this.#held += bytes.length
    if (this.#held === partBytes) this.#lookAtHeld()
  }

  #lookAtHeld(): void {
    const part = Buffer.concat(this.#parts)
    this.#parts = []
    this.#held = 0
    this.#look(part)
  }

  end(): ScannedFile {
    if (!this.#binary && this.#held > 0) this.#lookAtHeld()
    const { text, utf8 } = this.#first ?? { text: this.#bytes === 0 ? '' : undefined, utf8: true }
    return { path: this.#path, bytes: this.#bytes, script: this.#script, text, utf8 }
  }

  #begin(bytes: Buffer): void {
    const head = bytes.subarray(0, headBytes)
    lintMagic(this.#path, head, this.#findings)
    this.#binary = head.includes(0)
    this.#script = !this.#binary && isScript(this.#path, head.toString('latin1'))
  }

  #look(part: Buffer): void {
    const text = part.toString('utf8')
    findSecrets(this.#path, text, this.#findings)
    if (this.#terms.length > 0 && blockedTermFinder(this.#terms, [text])(text)) {
      this.#findings.add('BLOCKED_TERM', { path: this.#path })
    }
    if (this.#first !== undefined) return
    this.#first = { text, utf8: isUtf8(part) || this.#bytes > partBytes }
    findUnnamedSecrets(this.#path, text, this.#findings)
    if (this.#script) lintScript(this.#path, text, this.#findings)
    else if (isInstruction(this.#path)) lintInstructions(this.#path, text, this.#findings)
  }
}
