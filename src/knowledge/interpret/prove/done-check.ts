import type { Intent } from '../read/intent.ts'
import { isSameView } from '../read/screen.ts'
import type { Proof } from './proof.ts'

const SETTING_KINDS: ReadonlySet<Intent['kind']> = new Set(['adjust', 'toggle', 'date', 'pick'])
const VALUE_CHECKS = new Set(['number', 'checked', 'picked'])

/**
 * Whether the first screen of a run shows that there is nothing to do. The proof must be on the screen
 * where the workflow starts and must cover every value that is set. A workflow that adds something
 * never qualifies.
 */
export function canSkipIfDone(intents: readonly Intent[], proof: Proof | undefined): boolean {
  if (proof === undefined || proof.reopen !== undefined) return false
  const start = intents.find(({ kind }) => kind !== 'open_app')
  const screen = start?.before
  if (start === undefined || screen === undefined || !isSameView(screen, proof.end)) return false
  // A value that needs a touch first, for example on a tab, is not visible at the start.
  if (start.kind !== 'choose' && !SETTING_KINDS.has(start.kind)) return false
  if (intents.some(({ kind }) => ['type', 'slide', 'swipe', 'move'].includes(kind))) return false
  const set = intents.flatMap(({ kind, input }) => (SETTING_KINDS.has(kind) && input !== undefined ? [input] : []))
  const proved = new Set(
    proof.claims
      .filter(({ check, selector }) => VALUE_CHECKS.has(check.kind) || selector.shows !== undefined)
      .flatMap(({ inputs }) => inputs),
  )
  return set.length > 0 && set.every((input) => proved.has(input))
}
