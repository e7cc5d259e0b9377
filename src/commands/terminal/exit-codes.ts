/** What the process says when it cannot go on; the README lists them. */
export const exitCodes = {
  ok: 0,
  problem: 1,
  /** It was asked for in a way that cannot be done; nothing was done. */
  usage: 2,
  /** What came of it is not known. */
  indeterminate: 3,
  /** The database was written by a newer version. */
  databaseTooNew: 65,
  /** Another daemon keeps the home. */
  homeLocked: 75,
  /** An environment variable or settings.json is wrong. */
  badConfig: 78,
  /** Ctrl-C. */
  interrupted: 130,
} as const
