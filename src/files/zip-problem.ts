import type { FindingCode } from '@apprentice/contracts/skills/import-findings.ts'

/** An archive cannot be read any further. */
export class ZipProblem extends Error {
  readonly code: FindingCode
  /** The entry that caused it. */
  readonly path: string | undefined

  constructor(code: FindingCode, path?: string) {
    super(code)
    this.code = code
    this.path = path
  }
}

/** The limits of the bundle specification. */
export const ZIP_LIMITS = {
  entries: 2000,
  entry_bytes: 50 * 1024 * 1024,
  total_bytes: 500 * 1024 * 1024,
  /** The ratio is checked for larger entries only. */
  ratio_from_bytes: 1024 * 1024,
  entry_ratio: 100,
  total_ratio: 50,
} as const
