/** The result of one check of the doctor. */
export interface Check {
  readonly id: string
  readonly status: 'pass' | 'warn' | 'fail'
  readonly summary: string
  /** What a person can do about it. */
  readonly fix?: string
}
