import type { Intent } from '../read/intent.ts'
import type { ExampleValues } from '../read/matching.ts'
import type { Entry } from '../read/rows.ts'
import { isSameView, type Screen } from '../read/screen.ts'
import { type Claim, isClaimTrue } from './claims.ts'
import { controlClaims } from './control-claims.ts'
import type { Ending } from './ending.ts'
import { findEntryProof, removalClaims } from './entry-claims.ts'
import {
  arrivalClaims,
  labelChangeClaims,
  mentionClaims,
  textClaims,
  titleClaims,
  zeroClaims,
} from './screen-claims.ts'

/** How a run can check that the workflow was done. */
export interface Proof {
  readonly claims: readonly Claim[]
  /** A list entry that must be scrolled into view first. */
  readonly entry?: Entry
  /** The intent that opens the entry again, if only the screen of the entry shows the values. */
  readonly reopen?: Intent
  /** The screen on which the claims are true. */
  readonly end: Screen
  /** From 0 (no claims) to 6. Saved data counts more than a form. */
  readonly strength: number
  /** Only the form that was filled in supports the claims. */
  readonly only_the_form: boolean
}

/** The best proof that the last screen offers. */
export function proveOnScreen(ending: Ending, examples: ExampleValues, earlier: readonly Screen[]): Proof {
  const { end } = ending
  const selectTrue = (claims: readonly Claim[]) => claims.filter((claim) => isClaimTrue(claim, end, examples))
  const base = { end, only_the_form: false }
  const found = findEntryProof(ending)
  const claims = selectTrue(found?.claims ?? [])
  const unproved = listUnproved(ending, claims)
  if (found !== undefined && claims.length > 0) {
    const proof = { ...base, claims, entry: found.entry, strength: 6 }
    return unproved.length === 0 ? proof : (proveByReopening(ending) ?? proof)
  }
  const removals = removalClaims(ending)
  if (removals.length > 0 && selectTrue(removals).length === removals.length) {
    return { ...base, claims: removals, strength: 6 }
  }
  const reopened = unproved.length === 0 ? undefined : proveByReopening(ending)
  return reopened ?? proveWithoutEntries(ending, selectTrue, earlier)
}

function proveWithoutEntries(
  ending: Ending,
  selectTrue: (claims: readonly Claim[]) => Claim[],
  earlier: readonly Screen[],
): Proof {
  const { end } = ending
  const controls = selectTrue(controlClaims(end, ending))
  const texts = selectTrue(textClaims(ending))
  const mentions = selectTrue(mentionClaims(ending))
  const claims = [controls, texts, mentions].reduce<Claim[]>(
    (all, more) => [...all, ...more.filter((one) => !isCovered(one, all))],
    [],
  )
  const only_the_form = controls.length > 0 && texts.length + mentions.length === 0
  const titles = selectTrue(titleClaims(ending)).filter((one) => !isCovered(one, claims))
  if (claims.length > 0) {
    return { claims: [...titles, ...claims], end, strength: 4, only_the_form }
  }
  const weaker: readonly (readonly [readonly Claim[], number])[] = [
    [titleClaims(ending), 3],
    [zeroClaims(ending), 3],
    [labelChangeClaims(ending), 3],
    [arrivalClaims(ending, earlier), 2],
  ]
  for (const [candidates, strength] of weaker) {
    const proved = selectTrue(candidates)
    if (proved.length > 0) return { claims: proved, end, strength, only_the_form: false }
  }
  return { claims: [], end, strength: 0, only_the_form: false }
}

function isCovered({ inputs }: Claim, by: readonly Claim[]): boolean {
  return inputs.every((input) => by.some((claim) => claim.inputs.includes(input)))
}

/** The intents that set values on a form which the last screen does not show. */
function listUnproved(ending: Ending, claims: readonly Claim[]): Intent[] {
  const proved = new Set(claims.flatMap(({ inputs }) => inputs))
  const choice = findChoice(ending)
  if (choice === undefined) return []
  return ending.intents
    .slice(ending.intents.indexOf(choice) + 1)
    .filter(({ kind }) => ['adjust', 'toggle', 'pick', 'type'].includes(kind))
    .filter(({ input, typed, before }) => {
      if (input === undefined || proved.has(input) || typed?.secret === true) return false
      return before !== undefined && !isSameView(before, ending.end)
    })
}

/** The tap that opened an entry of the list on the last screen. */
function findChoice({ intents, end }: Ending): Intent | undefined {
  return intents.find(
    ({ kind, gesture, entry, before }) =>
      kind === 'choose' && gesture === 'tap' && entry !== undefined && before !== undefined && isSameView(before, end),
  )
}

/** The run opens the entry again. Its form shows the saved values. */
function proveByReopening(ending: Ending): Proof | undefined {
  const reopen = findChoice(ending)
  const form = reopen?.after
  if (reopen === undefined || form === undefined) return undefined
  const claims = controlClaims(form, ending)
  if (claims.length === 0) return undefined
  const titles = titleClaims({ ...ending, end: form })
  const { end } = ending
  return { claims: [...titles, ...claims], reopen, end, strength: 5, only_the_form: false }
}
