/** How many of its cases a property test tries by default. `TEST_RUNS=1` tries all of them, `TEST_RUNS=10` ten times as many. */
const SHARE = Number(process.env['TEST_RUNS'] ?? 0.25)

export const countRuns = (all: number): number => Math.max(1, Math.round(all * SHARE))
