import type { Intent } from '../align/intent.ts'
import type { Proof } from './proof.ts'
import { isSameView } from '../read/screen.ts'

const SETTING: ReadonlySet<Intent['kind']> = new Set(['adjust', 'toggle', 'pick'])
const TELLING = new Set(['number', 'checked', 'picked'])

/**
 * Whether the first screen already tells if there is anything to do: the proof is read on the screen the work begins
 * on, and it tells every value that is set. What adds something is done again each time it is asked for.
 */
export function mayBeDoneAlready(intents: readonly Intent[], proof: Proof | undefined): boolean {
  if (proof === undefined || proof.reopen !== undefined) return false
  const begin = intents.find(({ kind }) => kind !== 'open_app')
  const first = begin?.move.before
  if (begin === undefined || first === undefined || !isSameView(first, proof.end)) return false
  // What must first be brought up by a touch, such as a tab, is not there to be looked at.
  if (begin.kind !== 'choose' && !SETTING.has(begin.kind)) return false
  if (intents.some(({ kind }) => kind === 'type' || kind === 'slide')) return false
  const set = intents.flatMap(({ kind, input }) =>
    SETTING.has(kind) && input !== undefined ? [input] : [],
  )
  const told = new Set(
    proof.claims.filter(({ check }) => TELLING.has(check.kind)).flatMap(({ inputs }) => inputs),
  )
  return set.length > 0 && set.every((input) => told.has(input))
}
