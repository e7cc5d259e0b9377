import { setImmediate as nextTurn } from 'node:timers/promises'
import { AbilityLookup } from '../domain/abilities/lookup.ts'
import type { RunnerDeps } from './runner.ts'

export interface OpenLookup {
  readonly lookup: AbilityLookup
  /** It has read the abilities there were at the start. */
  readonly lookupWarmed: Promise<void>
  readonly closeLookup: () => Promise<void>
}

/**
 * Reads the abilities into the lookup at the start, in pieces between which the daemon answers. A lookup that is not
 * warm yet answers as well, only later.
 */
export function openLookup(edges: Pick<RunnerDeps, 'store' | 'log'>): OpenLookup {
  const lookup = new AbilityLookup()
  const closing = new AbortController()
  const lookupWarmed = warm(edges, lookup, closing.signal)
  return {
    lookup,
    lookupWarmed,
    closeLookup: () => {
      closing.abort()
      return lookupWarmed
    },
  }
}

async function warm(
  { store, log }: Pick<RunnerDeps, 'store' | 'log'>,
  lookup: AbilityLookup,
  signal: AbortSignal,
): Promise<void> {
  try {
    while (!signal.aborted && !store.read((reader) => lookup.catchUp(reader))) await nextTurn()
    if (!signal.aborted) lookup.settle()
  } catch (error) {
    log.error({ err: error }, 'the abilities could not be read ahead')
  }
}
