import { attribute, type UiNode } from '../../../screen/hierarchy.ts'
import type { Intent } from '../align/intent.ts'
import { spoken } from '../read/words.ts'
import type { Claim } from './claims.ts'
import type { Ending } from './ending.ts'
import { type Place, reference } from '../read/matching.ts'
import { isSameKind, type Screen } from '../read/screen.ts'

/** What the controls that were set show, on the screen they are on. */
export function controlClaims(screen: Screen, ending: Ending): Claim[] {
  return ending.intents
    .filter(({ move }) => move.before !== undefined && isSameKind(move.before, screen))
    .flatMap((intent) => claimOf(intent, ending))
}

function claimOf(intent: Intent, ending: Ending): Claim[] {
  const { input, move } = intent
  const { before } = move
  const control = controlIn(intent)
  if (input === undefined || before === undefined || control === undefined) return []
  const place = placeOf(intent, control, ending, before)
  const told = tellingOf(intent, input)
  return place === undefined || told === undefined ? [] : [{ ...place, ...told, inputs: [input] }]
}

/** What a control is to show, and the same in words. */
function tellingOf(intent: Intent, input: string): Pick<Claim, 'check' | 'words'> | undefined {
  const { kind, entry, move } = intent
  const owner = entry === undefined ? '' : ` of the given ${spoken(entry.input)}`
  const name = `The ${spoken(input)}${owner}`
  if (kind === 'toggle') {
    return { check: { kind: 'checked', input }, words: `${name} is on or off as given` }
  }
  if (kind === 'adjust') {
    return { check: { kind: 'number', input }, words: `${name} shows the given number` }
  }
  if (kind === 'pick') {
    return { check: { kind: 'picked' }, words: `The given ${spoken(input)} is selected` }
  }
  if (move.typed === undefined || move.typed.secret || move.typed.append) return undefined
  const check = { kind: 'text', equals: reference(input) } as const
  return { check, words: `${name} shows the given text` }
}

function controlIn({ kind, move }: Intent): UiNode | undefined {
  if (kind === 'adjust') return move.adjustment?.value
  // The row bears the label that tells one switch from another.
  if (kind === 'toggle') return move.node ?? move.toggled?.control
  return kind === 'pick' || kind === 'type' ? move.node : undefined
}

function placeOf(
  { kind, input = '', entry }: Intent,
  control: UiNode,
  { locate }: Ending,
  screen: Screen,
): Place | undefined {
  return kind === 'pick' ? optionPlace(control, input) : locate(control, screen, entry)
}

/** One of several options, by the words an input gives. */
export function optionPlace(option: UiNode, input: string): Place {
  const group = option.parent === null ? '' : attribute(option.parent, 'resource-id')
  return {
    selector: {
      class: attribute(option, 'class'),
      text_equals: reference(input),
      annotation: 'VARIABLE',
    },
    ...(group !== '' && { container: { resource_id: group, annotation: 'STRUCTURAL' as const } }),
  }
}
