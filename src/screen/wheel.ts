import { parseDisplayedNumber } from './displayed-number.ts'
import { inferElementRole } from './tree/element-traits.ts'
import { attribute, isTrue, type UiNode } from './tree/hierarchy.ts'
import { readLabel } from './tree/roles.ts'

/** A field with its value between the values beside it, which turn the wheel when they are touched. */
export interface Wheel {
  readonly value: UiNode
  readonly number: number
  /** Missing at an end of the range. */
  readonly increase: UiNode | undefined
  readonly decrease: UiNode | undefined
}

/** Reads a node as a wheel of numbers. */
export function readWheel(node: UiNode): Wheel | undefined {
  const value = node.children.find((one) => inferElementRole(attribute(one, 'class')) === 'text_field')
  const number = value && readNumber(value)
  if (value === undefined || number === undefined) return undefined
  const steps = node.children.flatMap((one) => {
    const shown = one === value || !isTrue(one, 'clickable') ? undefined : readNumber(one)
    return shown === undefined ? [] : [{ node: one, shown, isAbove: (one.bounds?.top ?? 0) < (value.bounds?.top ?? 0) }]
  })
  const [above, below] = [steps.find(({ isAbove }) => isAbove), steps.find(({ isAbove }) => !isAbove)]
  if (above === undefined && below === undefined) return undefined
  const isRising = below === undefined ? (above?.shown ?? 0) < number : isNextUp(below.shown, number, above?.shown)
  const [increase, decrease] = isRising ? [below?.node, above?.node] : [above?.node, below?.node]
  return { value, number, increase, decrease }
}

const readNumber = (node: UiNode): number | undefined => parseDisplayedNumber(readLabel(node).trim())

/** A wheel that wraps shows its first value below its last. */
const isNextUp = (below: number, value: number, above: number | undefined): boolean =>
  below > value || (above !== undefined && above < value)
