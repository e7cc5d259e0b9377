import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../screen/hierarchy.ts'
import { labelOf } from '../../screen/roles.ts'
import { shownNumber } from '../../screen/shown-number.ts'
import { ancestorsOf, isSlider, isTextField, type Screen } from '../interpret/read/screen.ts'
import { pinpoint } from './pinpoint.ts'

/** Something a screen lets one do to get somewhere else. */
export interface Affordance {
  /** The same for the same thing on the same screen, whenever it is read. */
  readonly key: string
  readonly kind: 'tap' | 'scroll'
  /** What it says, in the order it is read. */
  readonly label: string
  readonly matcher: NodeMatcher
  readonly class: string
  /** What the entries of one list have in common. */
  readonly family: string
}

/**
 * The ways on from a screen, in reading order: what can be touched and changes nothing by itself, and lists that go
 * on. Switches, choices, fields, steppers and sliders are ends, not ways; going back is the searcher's own affair.
 */
export function affordancesOf(screen: Screen): Affordance[] {
  const taps = screen.nodes.filter(isWay).flatMap((node) => toTap(screen, node))
  const scrolls = screen.nodes
    .filter((node) => isTrue(node, 'scrollable'))
    .flatMap((node) => toScroll(screen, node))
  const seen = new Set<string>()
  return [...taps, ...scrolls].filter(({ key }) => !seen.has(key) && seen.add(key))
}

/** Everything a node and what is in it say. */
export function wholeLabel(node: UiNode): string {
  const said = [...subtree(node)]
    .filter((one) => !isTrue(one, 'password') && !isTextField(one))
    .map((one) => labelOf(one).trim())
    .filter((text) => text !== '')
  return [...new Set(said)].join(' · ').slice(0, 240)
}

/** Two buttons with a number between them. */
export function isStepButton(node: UiNode): boolean {
  const siblings = node.parent?.children ?? []
  const buttons = siblings.filter((one) => isTrue(one, 'clickable') && one.children.length === 0)
  const reads = siblings.some(
    (one) => !isTrue(one, 'clickable') && shownNumber(attribute(one, 'text')) !== undefined,
  )
  return reads && buttons.length === 2 && siblings.length === 3 && buttons.includes(node)
}

function isWay(node: UiNode): boolean {
  if (!isTrue(node, 'clickable') || !isTrue(node, 'enabled')) return false
  if ([...subtree(node)].some(isControl) || isStepButton(node)) return false
  const label = wholeLabel(node)
  return label !== '' && !WAYS_BACK.test(label)
}

const isControl = (node: UiNode): boolean =>
  isTrue(node, 'checkable') || isTextField(node) || isSlider(node)

const WAYS_BACK = /^(?:navigate up|back|cancel|close|dismiss|zurück|abbrechen|schließen)$/iu

function toTap(screen: Screen, node: UiNode): Affordance[] {
  const matcher = pinpoint(screen.tree, node)
  if (matcher === undefined) return []
  const id = attribute(node, 'resource-id')
  const type = attribute(node, 'class')
  const list = ancestorsOf(node).find((one) => isTrue(one, 'scrollable'))?.path ?? ''
  return [
    {
      key: `tap ${JSON.stringify(matcher)}`,
      kind: 'tap',
      label: wholeLabel(node),
      matcher,
      class: type,
      family: `${list} ${id} ${type}`,
    },
  ]
}

function toScroll(screen: Screen, node: UiNode): Affordance[] {
  const matcher = pinpoint(screen.tree, node)
  if (matcher === undefined) return []
  return [
    {
      key: `scroll ${JSON.stringify(matcher)}`,
      kind: 'scroll',
      label: 'further down',
      matcher,
      class: attribute(node, 'class'),
      family: `scroll ${node.path}`,
    },
  ]
}
