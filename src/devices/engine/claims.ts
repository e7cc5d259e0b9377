import { ACTING_TYPES, type Action } from '@apprentice/contracts/devices/action.ts'

export type Expect = Extract<Action, { type: 'expect' }>['params']

/** Whether the app speaks the language of the demonstration, as far as its pages showed. */
export type AppLanguage = 'unknown' | 'same' | 'foreign'

/** A claim about the end that held once. */
export interface HeldClaim {
  readonly id: string
  readonly params: Expect
  readonly observed: string
  /** `same` if it held by its own words, also if the app seems to speak another language. Then it must hold by them again. */
  readonly language: AppLanguage
}

/** The claims that wait for the second look. They are about the same screen and share one pause. */
export class Claims {
  #held: HeldClaim[] = []

  get any(): boolean {
    return this.#held.length > 0
  }

  add(claim: HeldClaim): void {
    this.#held.push(claim)
  }

  /** Returns the claims and forgets them. */
  take(): readonly HeldClaim[] {
    const held = this.#held
    this.#held = []
    return held
  }
}

/** Whether an action makes a claim that must also hold after a pause. A branch decides at once. */
export function isSettledClaim(action: Action | undefined): boolean {
  if (action?.type !== 'expect') return false
  const { settled, skipTo, elseSkipTo } = action.params
  return settled === true && skipTo === undefined && elseSkipTo === undefined
}

/** Whether another claim about the same screen follows: nothing acts before it. */
export function hasFurtherClaim(following: readonly Action[]): boolean {
  const next = following.find((action) => isSettledClaim(action) || ACTING_TYPES.has(action.type))
  return isSettledClaim(next)
}
