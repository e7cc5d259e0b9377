import { setImmediate as nextTurn } from 'node:timers/promises'
import { AbilityLookup } from '../domain/abilities/lookup.ts'
import type { RunnerDeps } from './runner.ts'

export interface OpenLookup {
  readonly lookup: AbilityLookup
  /** Resolves when the abilities present at startup are loaded. */
  readonly lookupWarmed: Promise<void>
  readonly closeLookup: () => Promise<void>
}

/** Loads the abilities into the lookup in batches, between which requests are answered. */
export function openLookup(deps: Pick<RunnerDeps, 'store' | 'log'>): OpenLookup {
  const lookup = new AbilityLookup()
  const closing = new AbortController()
  const lookupWarmed = warmLookup(deps, lookup, closing.signal)
  return {
    lookup,
    lookupWarmed,
    closeLookup: () => {
      closing.abort()
      return lookupWarmed
    },
  }
}

async function warmLookup(
  { store, log }: Pick<RunnerDeps, 'store' | 'log'>,
  lookup: AbilityLookup,
  signal: AbortSignal,
): Promise<void> {
  try {
    while (!signal.aborted && !store.read((reader) => lookup.catchUp(reader))) await nextTurn()
    if (!signal.aborted) lookup.warmUp()
  } catch (error) {
    log.error({ err: error }, 'the abilities could not be loaded into the lookup')
  }
}
