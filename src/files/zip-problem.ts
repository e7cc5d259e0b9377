import type { FindingCode } from '@apprentice/contracts/skills/import-findings.ts'

/** Why an archive cannot be read any further. */
export class ZipProblem extends Error {
  readonly code: FindingCode
  /** The entry it is about. */
  readonly path: string | undefined

  constructor(code: FindingCode, path?: string) {
    super(code)
    this.code = code
    this.path = path
  }
}

/** As the specification of bundles has them. */
export const zipLimits = {
  entries: 2000,
  entry_bytes: 50 * 1024 * 1024,
  total_bytes: 500 * 1024 * 1024,
  /** Only entries larger than this are held against the ratio. */
  ratio_from_bytes: 1024 * 1024,
  entry_ratio: 100,
  total_ratio: 50,
} as const
