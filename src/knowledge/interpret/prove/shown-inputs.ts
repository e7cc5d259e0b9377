import type { RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { attribute, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { readLabels } from '../../../screen/label-match.ts'
import { explainComposed } from '../../../screen/shown-value/composed.ts'
import { explainText } from '../../../screen/shown-value/explain.ts'
import { findShownValue } from '../../../screen/shown-value/shown-value.ts'
import type { LearnedInput } from '../read/inputs.ts'
import { formatReference } from '../read/matching.ts'
import { isTextField } from '../read/screen.ts'
import type { Ending } from './ending.ts'

/** The inputs whose values a node shows in its label, alone or together. Booleans and short codes prove nothing. */
export function listShownInputs(node: UiNode, { inputs, examples }: Ending): string[] {
  if (isTextField(node)) return []
  const values = new Map([...examples].filter(([name]) => isTelling(inputs.find((one) => one.name === name))))
  const found = readLabels(node).flatMap((label) => [
    ...(explainText(label, values)?.inputs ?? []),
    ...(explainComposed(label, values)?.inputs ?? []),
  ])
  return [...new Set(found)]
}

function isTelling(input: LearnedInput | undefined): boolean {
  return input !== undefined && input.type !== 'boolean' && (input.example ?? '') !== ''
}

/** A node of this class whose label shows these inputs, each alone or as one value. */
export function selectByInputs(
  node: UiNode,
  names: readonly string[],
  { examples }: Pick<Ending, 'examples'>,
): RecipeSelector | undefined {
  const type = attribute(node, 'class')
  const simple = listSimple(node, names, examples)
  if (simple.length < names.length && names.length > 1) {
    return { class: type, shows_together: names.map(formatReference), annotation: 'VARIABLE' }
  }
  const [first, ...others] = simple.map((name) => ({ shows: formatReference(name) }))
  if (first === undefined) return undefined
  return { class: type, ...first, ...(others.length > 0 && { all_of: others }), annotation: 'VARIABLE' }
}

/** The inputs that a label shows one by one. */
export function listSimple(node: UiNode, names: readonly string[], examples: Ending['examples']): string[] {
  return names.filter((name) =>
    readLabels(node).some((label) => findShownValue(label, examples.get(name) ?? '') !== undefined),
  )
}
