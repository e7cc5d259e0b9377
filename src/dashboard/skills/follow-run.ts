import { type AbilityRun, getAbilityRun, listAbilityRuns } from '@apprentice/contracts/abilities/runs.ts'
import { call, reachable } from '../api/client.ts'

export const SETTLED_RUN_STATES: ReadonlySet<string> = new Set(['success', 'failed', 'indeterminate', 'cancelled'])
const POLL_MS = 500

/** Reads a run until it has ended or nobody looks at it. A daemon that does not answer for a while is asked again. */
export async function followRun(runId: string, onRun: (run: AbilityRun) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const run = await readRun(runId)
    if (signal.aborted) return
    if (run !== undefined) onRun(run)
    if (run !== undefined && SETTLED_RUN_STATES.has(run.state)) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

async function readRun(runId: string): Promise<AbilityRun | undefined> {
  try {
    return (await call(getAbilityRun, { params: { runId } })).run
  } catch (error) {
    if (reachable.value) throw error
    return undefined
  }
}

/** The newest run of the person, which may still be under way. */
export async function findLatestRun(abilityId: string): Promise<AbilityRun | undefined> {
  const { runs } = await call(listAbilityRuns, { params: { abilityId }, query: { page_size: 1 } })
  return runs[0]
}
