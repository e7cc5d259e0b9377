/** Exit codes of the process. */
export const EXIT_CODES = {
  ok: 0,
  failure: 1,
  usage: 2,
  indeterminate: 3,
  databaseTooNew: 65,
  databaseLost: 66,
  homeLocked: 75,
  badConfig: 78,
  interrupted: 130,
} as const

/** What the exit codes mean. The README has the same table. */
export const EXIT_CODE_MEANINGS: Readonly<Record<keyof typeof EXIT_CODES, string>> = {
  ok: 'done; for a run, the outcome was seen on the phone',
  failure: 'it was tried and failed, or a check found something',
  usage: 'the command line or the request is invalid; nothing was done',
  indeterminate: 'the run ended and its outcome is unknown',
  databaseTooNew: 'the database was written by a newer version',
  databaseLost: 'the database of this home is missing or lacks commits',
  homeLocked: 'another daemon uses this home',
  badConfig: 'an environment variable or settings.json is invalid',
  interrupted: 'Ctrl-C',
}
