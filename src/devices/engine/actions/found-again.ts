import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { type Hierarchy, type UiNode, attribute } from '../../../screen/hierarchy.ts'
import { type Target, matchTarget, windowOf } from '../../../screen/matcher.ts'
import type { ScreenReading } from '../screen-reading.ts'

/** A node that was found by a target, on the screen it was found on. */
export interface Known {
  readonly target: Target
  readonly node: UiNode
  readonly reading: ScreenReading
}

/**
 * The same node on a later reading. A touch may have changed the very thing it was found by, so what a
 * control says of its state does not count, and where nothing fits, its old place does.
 */
export function findAgain({ hierarchy }: ScreenReading, known: Known): UiNode | undefined {
  const { matcher } = known.target
  const stateless = withoutState(matcher) as NodeMatcher
  const target = { ...known.target, strict: false, matcher: { ...stateless, strict: false } }
  const matches = matchTarget(hierarchy, target)
  const fitting = matches.kind === 'found' ? matches.nodes : []
  if (fitting.length === 1) return fitting[0]
  const here = atSamePlace(hierarchy, known)
  if (fitting.length === 0) return here
  return fitting.find((node) => node === here) ?? fitting[matcher.index ?? 0]
}

function atSamePlace(hierarchy: Hierarchy, { node, reading }: Known): UiNode | undefined {
  // Another window has other nodes at the same places.
  const [now, then] = [windowOf(hierarchy), windowOf(reading.hierarchy)]
  if (JSON.stringify(now) !== JSON.stringify(then)) return undefined
  return hierarchy.nodes.find((one) => one.path === node.path && isAlike(one, node))
}

function isAlike(one: UiNode, other: UiNode): boolean {
  return LASTING.every((name) => attribute(one, name) === attribute(other, name))
}

const LASTING = ['resource-id', 'class', 'package'] as const

function withoutState(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutState)
  if (!isRecord(value)) return value
  const lasting = Object.entries(value).filter(([key]) => !STATES.has(key))
  return Object.fromEntries(lasting.map(([key, inner]) => [key, withoutState(inner)]))
}

const STATES: ReadonlySet<string> = new Set(['checked', 'selected', 'focused', 'enabled'])
