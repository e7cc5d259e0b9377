import type { Entry } from '../read/entry.ts'
import type { Intent } from '../align/intent.ts'
import { type Claim, holds } from './claims.ts'
import { controlClaims } from './control-claims.ts'
import type { Ending } from './ending.ts'
import { entryProof, removalClaims } from './entry-claims.ts'
import type { Shown } from '../read/matching.ts'
import { isSameView, type Screen } from '../read/screen.ts'
import {
  arrivalClaims,
  flipClaims,
  mentionClaims,
  titleClaims,
  wordClaims,
  zeroClaims,
} from './screen-claims.ts'

/** How it can be seen that the work was done. */
export interface Proof {
  readonly claims: readonly Claim[]
  /** A list entry to bring into view first. */
  readonly show?: Entry
  /** The move that opens the entry again, for what only its own screen tells. */
  readonly reopen?: Intent
  /** The screen that bears it out, and how well: what can be read again later counts more. */
  readonly end: Screen
  readonly strength: number
  /** It is read from the very form that was filled. */
  readonly only_the_form: boolean
}

/** The best proof the last screen offers. */
export function proveAt(ending: Ending, shown: Shown, earlier: readonly Screen[]): Proof {
  const { end } = ending
  const sound = (claims: readonly Claim[]) => claims.filter((claim) => holds(claim, end, shown))
  const base = { end, only_the_form: false }
  const entry = entryProof(ending)
  const shownThere = sound(entry?.claims ?? [])
  const open = openInputs(ending, shownThere)
  if (entry !== undefined && shownThere.length > 0) {
    const proof = { ...base, claims: shownThere, show: entry.entry, strength: 6 }
    return open.length === 0 ? proof : (reopened(ending) ?? proof)
  }
  const gone = removalClaims(ending)
  if (gone.length > 0 && sound(gone).length === gone.length) {
    return { ...base, claims: gone, strength: 6 }
  }
  const again = open.length === 0 ? undefined : reopened(ending)
  if (again !== undefined) return again
  return onThisScreen(ending, sound, earlier)
}

function onThisScreen(
  ending: Ending,
  sound: (claims: readonly Claim[]) => Claim[],
  earlier: readonly Screen[],
): Proof {
  const { end } = ending
  const controls = sound(controlClaims(end, ending))
  const words = sound(wordClaims(ending))
  const mentions = sound(mentionClaims(ending))
  const claims = [controls, words, mentions].reduce<Claim[]>(
    (told, more) => [...told, ...more.filter((one) => !isCovered(one, told))],
    [],
  )
  const only_the_form = controls.length > 0 && words.length + mentions.length === 0
  const named = sound(titleClaims(ending)).filter((one) => !isCovered(one, claims))
  if (claims.length > 0) {
    return { claims: [...named, ...claims], end, strength: 4, only_the_form }
  }
  const rest: readonly (readonly [readonly Claim[], number])[] = [
    [titleClaims(ending), 3],
    [zeroClaims(ending), 3],
    [flipClaims(ending), 3],
    [arrivalClaims(ending, earlier), 2],
  ]
  for (const [found, strength] of rest) {
    const borne = sound(found)
    if (borne.length > 0) return { claims: borne, end, strength, only_the_form: false }
  }
  return { claims: [], end, strength: 0, only_the_form: false }
}

function isCovered({ inputs }: Claim, by: readonly Claim[]): boolean {
  return inputs.every((input) => by.some((claim) => claim.inputs.includes(input)))
}

/** What was set on a form and does not show on the last screen. */
function openInputs(ending: Ending, claims: readonly Claim[]): Intent[] {
  const told = new Set(claims.flatMap(({ inputs }) => inputs))
  const choosing = choiceOf(ending)
  if (choosing === undefined) return []
  return ending.intents
    .slice(ending.intents.indexOf(choosing) + 1)
    .filter(({ kind }) => ['adjust', 'toggle', 'pick', 'type'].includes(kind))
    .filter(({ input, move }) => {
      if (input === undefined || told.has(input) || move.typed?.secret === true) return false
      return move.before !== undefined && !isSameView(move.before, ending.end)
    })
}

/** The move that opened an entry of the list the work ended on. */
function choiceOf({ intents, end }: Ending): Intent | undefined {
  return intents.find(
    ({ kind, entry, move }) =>
      kind === 'choose' &&
      entry !== undefined &&
      move.kind === 'press' &&
      move.before !== undefined &&
      isSameView(move.before, end),
  )
}

/** The entry is opened once more, and its form tells what was kept. */
function reopened(ending: Ending): Proof | undefined {
  const reopen = choiceOf(ending)
  const form = reopen?.move.after
  if (reopen === undefined || form === undefined) return undefined
  const claims = controlClaims(form, ending)
  if (claims.length === 0) return undefined
  const titles = titleClaims({ ...ending, end: form })
  const { end } = ending
  return { claims: [...titles, ...claims], reopen, end, strength: 5, only_the_form: false }
}
