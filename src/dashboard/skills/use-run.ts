import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { findLatestRun, followRun, SETTLED_RUN_STATES } from './follow-run.ts'

interface CurrentRun {
  /** The run that is displayed: it was begun here, or was under way when the page was loaded. */
  readonly run: ReadonlySignal<AbilityRun | undefined>
  /** The last run that had ended before. */
  readonly last: ReadonlySignal<AbilityRun | undefined>
  /** Displays a run until it has ended. */
  readonly follow: (run: AbilityRun) => Promise<void>
}

export function useRun(abilityId: string): CurrentRun {
  const run = useSignal<AbilityRun | undefined>(undefined)
  const last = useSignal<AbilityRun | undefined>(undefined)
  const looking = useRef(new AbortController())
  const follow = async (begun: AbilityRun): Promise<void> => {
    run.value = begun
    await followRun(begun.run_id, (next) => (run.value = next), looking.current.signal)
  }
  const takeUp = async (): Promise<void> => {
    const latest = await findLatestRun(abilityId)
    if (latest === undefined || run.value !== undefined) return
    if (SETTLED_RUN_STATES.has(latest.state)) last.value = latest
    else await follow(latest)
  }
  useEffect(() => {
    looking.current = new AbortController()
    // The form works without it; the header says if the daemon does not answer.
    void takeUp().catch(() => undefined)
    return () => looking.current.abort()
  }, [abilityId])
  return { run, last, follow }
}
