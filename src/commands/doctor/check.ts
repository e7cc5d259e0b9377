/** The result of one check. */
export interface Check {
  readonly id: string
  readonly status: 'pass' | 'warn' | 'fail'
  readonly summary: string
  /** What a person can do about it. */
  readonly fix?: string
}
