/** Exit codes of the process. The README lists them. */
export const EXIT_CODES = {
  ok: 0,
  failure: 1,
  /** The request was invalid; nothing was done. */
  usage: 2,
  /** The outcome is unknown. */
  indeterminate: 3,
  /** The database was written by a newer version. */
  databaseTooNew: 65,
  /** The database of this home is missing or lacks commits. */
  databaseLost: 66,
  /** Another daemon uses this home. */
  homeLocked: 75,
  /** An environment variable or settings.json is invalid. */
  badConfig: 78,
  /** Ctrl-C. */
  interrupted: 130,
} as const
