import { Buffer, isUtf8 } from 'node:buffer'
import { createBlockedTermMatcher } from '../recipes/check/literal-detectors.ts'
import type { Findings } from './findings.ts'
import { isInstruction, lintInstructions } from './instruction-rules.ts'
import { isScript, lintScript } from './script-rules.ts'
import { findSecrets, findUnnamedSecrets, checkSecretFile } from './secrets.ts'
import { lintMagic } from './structure-rules.ts'

/** Files are scanned in parts of this size, so that a large file is never fully in memory. */
const PART_BYTES = 1 << 20
const HEAD_BYTES = 4096

export interface ScannedFile {
  readonly path: string
  readonly bytes: number
  readonly script: boolean
  /** The first part of a text file; absent for a binary file. */
  readonly text?: string | undefined
  readonly utf8: boolean
}

/** Scans one file that arrives in chunks. */
export class FileScan {
  readonly #path: string
  readonly #size: number
  readonly #findings: Findings
  readonly #terms: readonly string[]
  #parts: Buffer[] = []
  #bufferedBytes = 0
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
    checkSecretFile(path, findings)
  }

  /** Copies only bytes that must be buffered. Most files arrive in one chunk and are not copied. */
  push(bytes: Buffer): void {
    if (this.#bytes === 0) this.#readHead(bytes)
    this.#bytes += bytes.length
    if (this.#binary) return
    let rest = bytes
    while (rest.length > 0) {
      const taken = rest.subarray(0, PART_BYTES - this.#bufferedBytes)
      rest = rest.subarray(taken.length)
      const isLast = rest.length === 0 && this.#bytes === this.#size
      if (this.#bufferedBytes === 0 && (taken.length === PART_BYTES || isLast)) this.#scanPart(taken)
      else this.#buffer(taken)
    }
  }

  #buffer(bytes: Buffer): void {
    this.#parts.push(Buffer.from(bytes))
    this.#bufferedBytes += bytes.length
    if (this.#bufferedBytes === PART_BYTES) this.#scanBuffered()
  }

  #scanBuffered(): void {
    const part = Buffer.concat(this.#parts)
    this.#parts = []
    this.#bufferedBytes = 0
    this.#scanPart(part)
  }

  finish(): ScannedFile {
    if (!this.#binary && this.#bufferedBytes > 0) this.#scanBuffered()
    const { text, utf8 } = this.#first ?? { text: this.#bytes === 0 ? '' : undefined, utf8: true }
    return { path: this.#path, bytes: this.#bytes, script: this.#script, text, utf8 }
  }

  #readHead(bytes: Buffer): void {
    const head = bytes.subarray(0, HEAD_BYTES)
    lintMagic(this.#path, head, this.#findings)
    this.#binary = head.includes(0)
    this.#script = !this.#binary && isScript(this.#path, head.toString('latin1'))
  }

  #scanPart(part: Buffer): void {
    const text = part.toString('utf8')
    findSecrets(this.#path, text, this.#findings, this.#first === undefined ? 1 : undefined)
    if (this.#terms.length > 0 && createBlockedTermMatcher(this.#terms, [text])(text)) {
      this.#findings.add('BLOCKED_TERM', { path: this.#path })
    }
    if (this.#first !== undefined) return
    this.#first = { text, utf8: isUtf8(part) || this.#bytes > PART_BYTES }
    findUnnamedSecrets(this.#path, text, this.#findings)
    if (this.#script) lintScript(this.#path, text, this.#findings)
    else if (isInstruction(this.#path)) lintInstructions(this.#path, text, this.#findings)
  }
}
