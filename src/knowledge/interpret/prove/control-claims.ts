import { attribute, type UiNode } from '../../../screen/hierarchy.ts'
import type { Intent } from '../read/intent.ts'
import { formatReference, type Place } from '../read/matching.ts'
import { formatName } from '../read/node-text.ts'
import { isSameKind, type Screen } from '../read/screen.ts'
import type { Claim } from './claims.ts'
import type { Ending } from './ending.ts'

/** Claims about the values of the controls that were set on a screen. */
export function controlClaims(screen: Screen, ending: Ending): Claim[] {
  return ending.intents
    .filter(({ before }) => before !== undefined && isSameKind(before, screen))
    .flatMap((intent) => toClaims(intent, ending))
}

function toClaims(intent: Intent, ending: Ending): Claim[] {
  const { input, before, kind, entry } = intent
  const control = findControl(intent)
  if (input === undefined || before === undefined || control === undefined) return []
  const place = kind === 'pick' ? locateOption(control, input) : ending.locate(control, before, entry)
  const statement = toStatement(intent, input)
  if (place === undefined || statement === undefined) return []
  return [{ ...place, ...statement, inputs: [input] }]
}

function toStatement(intent: Intent, input: string): Pick<Claim, 'check' | 'text'> | undefined {
  const { kind, entry, typed } = intent
  const owner = entry === undefined ? '' : ` of the given ${formatName(entry.input)}`
  const name = `The ${formatName(input)}${owner}`
  if (kind === 'toggle') {
    return { check: { kind: 'checked', input }, text: `${name} is on or off as given` }
  }
  if (kind === 'adjust') {
    return { check: { kind: 'number', input }, text: `${name} shows the given number` }
  }
  if (kind === 'pick') {
    return { check: { kind: 'picked' }, text: `The given ${formatName(input)} is selected` }
  }
  if (typed === undefined || typed.secret || typed.append) return undefined
  const check = { kind: 'text', equals: formatReference(input) } as const
  return { check, text: `${name} shows the given text` }
}

function findControl({ kind, node, adjustment, toggled }: Intent): UiNode | undefined {
  if (kind === 'adjust') return adjustment?.value
  // The tapped row has the label that identifies the switch.
  if (kind === 'toggle') return node ?? toggled?.control
  return kind === 'pick' || kind === 'type' ? node : undefined
}

/** The option whose text an input gives. */
export function locateOption(option: UiNode, input: string): Place {
  const group = option.parent === null ? '' : attribute(option.parent, 'resource-id')
  return {
    selector: {
      class: attribute(option, 'class'),
      text_equals: formatReference(input),
      annotation: 'VARIABLE',
    },
    ...(group !== '' && { container: { resource_id: group, annotation: 'STRUCTURAL' as const } }),
  }
}
