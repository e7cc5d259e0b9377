/** What the process says when it cannot go on; the README lists them. */
export const exitCodes = {
  ok: 0,
  problem: 1,
  /** The database was written by a newer version. */
  databaseTooNew: 65,
  /** Another daemon keeps the home. */
  homeLocked: 75,
  /** An environment variable or settings.json is wrong. */
  badConfig: 78,
} as const
