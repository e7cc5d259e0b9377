import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../screen/hierarchy.ts'
import { readLabel } from '../../screen/roles.ts'
import { parseDisplayedNumber } from '../../screen/displayed-number.ts'
import { listAncestors, isSlider, isTextField, type Screen } from '../interpret/read/screen.ts'
import { findUniqueMatcher } from './unique-matcher.ts'

/** A tap or scroll that may lead to another screen. */
export interface Affordance {
  /** Stable across readings of the same screen. */
  readonly key: string
  readonly kind: 'tap' | 'scroll'
  /** All labels in the node, in reading order. */
  readonly label: string
  readonly matcher: NodeMatcher
  readonly class: string
  /** Equal for the entries of one list. */
  readonly family: string
}

/**
 * The affordances of a screen, in reading order: clickable nodes that are not controls, and scrollable lists.
 * Switches, choices, fields, steppers and sliders are controls. Back buttons are left out: the search goes back itself.
 */
export function listAffordances(screen: Screen): Affordance[] {
  const taps = screen.nodes.filter(isNavigable).flatMap((node) => toTap(screen, node))
  const scrolls = screen.nodes.filter((node) => isTrue(node, 'scrollable')).flatMap((node) => toScroll(screen, node))
  const seen = new Set<string>()
  return [...taps, ...scrolls].filter(({ key }) => !seen.has(key) && seen.add(key))
}

/** The labels of a node and its descendants, without the content of text fields. */
export function readWholeLabel(node: UiNode): string {
  const labels = [...subtree(node)]
    .filter((one) => !isTrue(one, 'password') && !isTextField(one))
    .map((one) => readLabel(one).trim())
    .filter((text) => text !== '')
  return [...new Set(labels)].join(' · ').slice(0, 240)
}

/** One of two buttons next to a number. */
export function isStepButton(node: UiNode): boolean {
  const siblings = node.parent?.children ?? []
  const buttons = siblings.filter((one) => isTrue(one, 'clickable') && one.children.length === 0)
  const hasNumber = siblings.some(
    (one) => !isTrue(one, 'clickable') && parseDisplayedNumber(attribute(one, 'text')) !== undefined,
  )
  return hasNumber && buttons.length === 2 && siblings.length === 3 && buttons.includes(node)
}

function isNavigable(node: UiNode): boolean {
  if (!isTrue(node, 'clickable') || !isTrue(node, 'enabled')) return false
  if ([...subtree(node)].some(isControl) || isStepButton(node)) return false
  const label = readWholeLabel(node)
  return label !== '' && !BACK_LABELS.test(label)
}

const isControl = (node: UiNode): boolean => isTrue(node, 'checkable') || isTextField(node) || isSlider(node)

const BACK_LABELS = /^(?:navigate up|back|cancel|close|dismiss|zurück|abbrechen|schließen)$/iu

function toTap(screen: Screen, node: UiNode): Affordance[] {
  const matcher = findUniqueMatcher(screen.tree, node)
  if (matcher === undefined) return []
  const id = attribute(node, 'resource-id')
  const type = attribute(node, 'class')
  const list = listAncestors(node).find((one) => isTrue(one, 'scrollable'))?.path ?? ''
  return [
    {
      key: `tap ${JSON.stringify(matcher)}`,
      kind: 'tap',
      label: readWholeLabel(node),
      matcher,
      class: type,
      family: `${list} ${id} ${type}`,
    },
  ]
}

function toScroll(screen: Screen, node: UiNode): Affordance[] {
  const matcher = findUniqueMatcher(screen.tree, node)
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
