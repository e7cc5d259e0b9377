/** Why the snapshot helper could not give a screen. `uiautomator dump` is used instead. */
export type HelperFailureKind =
  /** The helper is not installed, or in another version. */
  | 'not_installed'
  /** It did not start, or ended at once. */
  | 'not_started'
  /** Its port did not answer, or the connection ended before the answer. */
  | 'unreachable'
  /** The answer is incomplete or of another protocol. */
  | 'invalid_answer'
  /** It answered that it failed. */
  | 'reported_error'
  /** It did not answer in time. */
  | 'slow'
  /** It does not see the window of the app, as on some phones with some apps. */
  | 'no_active_window'
  /** The screen has more nodes than it lists. */
  | 'too_large'
  /** The screen may have switches, and the helper does not tell what is checked. */
  | 'check_states'

export class HelperFailure extends Error {
  override readonly name = 'HelperFailure'
  readonly kind: HelperFailureKind

  constructor(kind: HelperFailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}
