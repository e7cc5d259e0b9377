import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { type Hierarchy, type UiNode, attribute } from '../../../screen/tree/hierarchy.ts'
import { type Target, matchTarget, findWindow } from '../../../screen/matcher.ts'
import type { ScreenReading } from '../screen-reading.ts'

/** A node with the target that found it and the reading that contains it. */
export interface TrackedNode {
  readonly target: Target
  readonly node: UiNode
  readonly reading: ScreenReading
}

/**
 * Finds the same node on a later reading. A touch may have changed the state the matcher names, so state
 * predicates are ignored. If nothing matches, the node at the same path is used.
 */
export function findTrackedNode({ hierarchy }: ScreenReading, tracked: TrackedNode): UiNode | undefined {
  const { matcher } = tracked.target
  const stateless = withoutState(matcher) as NodeMatcher
  const target = { ...tracked.target, strict: false, matcher: { ...stateless, strict: false } }
  const matches = matchTarget(hierarchy, target)
  const matching = matches.kind === 'found' ? matches.nodes : []
  if (matching.length === 1) return matching[0]
  const samePath = findAtSamePath(hierarchy, tracked)
  if (matching.length === 0) return samePath
  return matching.find((node) => node === samePath) ?? matching[matcher.index ?? 0]
}

function findAtSamePath(hierarchy: Hierarchy, { node, reading }: TrackedNode): UiNode | undefined {
  // Another window has other nodes at the same paths.
  const [now, then] = [findWindow(hierarchy), findWindow(reading.hierarchy)]
  if (JSON.stringify(now) !== JSON.stringify(then)) return undefined
  return hierarchy.nodes.find((one) => one.path === node.path && isAlike(one, node))
}

function isAlike(one: UiNode, other: UiNode): boolean {
  return LASTING_ATTRIBUTES.every((name) => attribute(one, name) === attribute(other, name))
}

const LASTING_ATTRIBUTES = ['resource-id', 'class', 'package'] as const

function withoutState(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutState)
  if (!isRecord(value)) return value
  const entries = Object.entries(value).filter(([key]) => !STATE_PREDICATES.has(key))
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutState(inner)]))
}

const STATE_PREDICATES: ReadonlySet<string> = new Set(['checked', 'selected', 'focused', 'enabled'])
