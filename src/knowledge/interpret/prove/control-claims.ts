import type { RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import type { Intent } from '../read/intent.ts'
import { escapeReferences, type ExampleValues, findNodes, formatReference } from '../read/matching.ts'
import { formatName, readText } from '../read/node-text.ts'
import { findNode, isSameKind, type Screen } from '../read/screen.ts'
import { isStructuralText } from '../read/structural-text.ts'
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
  if (kind === 'pick') return claimPicked(intent, input, ending)
  const place = ending.locate(control, before, entry)
  const statement = toStatement(intent, input)
  if (place === undefined || statement === undefined) return []
  return [{ ...place, ...statement, inputs: [input] }]
}

/** The chosen option is selected or checked. An option that shows neither proves nothing. */
function claimPicked({ choice, after }: Intent, input: string, { isPersonal, examples }: Ending): Claim[] {
  const now = choice && after && findNode(after, choice.option.path)
  const chosen = now && [...subtree(now)].find((one) => isTrue(one, 'selected') || isTrue(one, 'checked'))
  if (choice === undefined || after === undefined || chosen === undefined) return []
  const state = isTrue(chosen, 'selected') ? 'selected' : 'checked'
  const own = findOwnWords(chosen, choice.members, { input, after, examples })
  if (own === undefined) return []
  const others = choice.options.filter((text) => isStructuralText(text) && !isPersonal(text)).slice(0, 3)
  const group = others.map((text) => ({ part_equals: escapeReferences(text), annotation: 'STRUCTURAL' as const }))
  const selector = {
    class: attribute(chosen, 'class'),
    [state]: true,
    ...own,
    ...(group.length > 1 && { group }),
  }
  const text = `The given ${formatName(input)} is selected`
  return [{ selector, check: { kind: 'present' }, inputs: [input], text, node: chosen }]
}

/**
 * What tells an option by the given words: they are its label, inside it, or in its row. Undefined if other options are in
 * the same row.
 */
function findOwnWords(
  chosen: UiNode,
  members: readonly UiNode[],
  { input, after, examples }: { readonly input: string; readonly after: Screen; readonly examples: ExampleValues },
): RecipeSelector | undefined {
  const named = { part_equals: formatReference(input), annotation: 'VARIABLE' as const }
  const isAmong = (node: UiNode) => members.some((member) => isPartOf(node, member.path))
  const isOnlyOption = (selector: RecipeSelector) => {
    const found = findNodes(after, { selector: { class: attribute(chosen, 'class'), ...selector } }, examples)
    const [only, ...others] = found.filter((node) => node === chosen || isAmong(node))
    return only === chosen && others.length === 0
  }
  const inside: RecipeSelector = { containing: named, annotation: 'VARIABLE' }
  const beside: RecipeSelector = { row: [named], annotation: 'VARIABLE' }
  return [...(readText(chosen) === '' ? [] : [named]), inside, beside].find(isOnlyOption)
}

const isPartOf = ({ path }: UiNode, box: string): boolean => path === box || path.startsWith(`${box}.`)

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
