/** How much of each kind of attack is done. */
export interface AttackPlan {
  readonly seed: number
  readonly requests: number
  readonly kills: number
  readonly disk_full: number
  readonly bundles: number
  readonly device_faults: number
  /** Whether a late reply is a fault. Otherwise it is only counted: a test shares its machine with other tests. */
  readonly judges_time: boolean
  /** How often `/healthz` is asked. */
  readonly probe_interval_ms: number
  /** An attack that takes longer than this ends and says so. */
  readonly time_limit_ms: number
}

/** What `npm run attack` does. */
export const FULL_PLAN: AttackPlan = {
  seed: 20_261_118,
  requests: 50_000,
  kills: 100,
  disk_full: 20,
  bundles: 40,
  device_faults: 40,
  judges_time: true,
  probe_interval_ms: 10,
  time_limit_ms: 30 * 60_000,
}

/** What runs as a test: some of everything, in a few seconds of processor time. */
export const SHORT_PLAN: AttackPlan = {
  ...FULL_PLAN,
  requests: 150,
  kills: 1,
  disk_full: 1,
  bundles: 3,
  device_faults: 3,
  judges_time: false,
  probe_interval_ms: 100,
  time_limit_ms: 10 * 60_000,
}
