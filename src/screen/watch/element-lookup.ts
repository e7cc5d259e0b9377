import type { ElementOutline, SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'
import type { ElementTarget, UiSelector } from '@apprentice/contracts/devices/verification.ts'
import { resolveRef } from '../element-ref.ts'
import { type UiNode, attribute } from '../tree/hierarchy.ts'
import { type Scan, scanWholeTree, matchTarget, scanOnScreen } from '../matcher.ts'
import type { GoodReading } from './observation.ts'
import { resolveWindow } from '../snapshot.ts'

export type Reach = 'on_screen' | 'whole_tree'

/** Finds the nodes that match a target in one reading, in tree order. A reference matches at most one. */
export function findNodes(reading: GoodReading, target: ElementTarget, reach: Reach): readonly UiNode[] {
  const scan = chooseScan(reading, reach)
  const { selector, matcher, ref } = target
  if (selector !== undefined) {
    return scan(reading.hierarchy.roots).filter((node) => matchesSelector(node, selector))
  }
  if (matcher !== undefined) {
    const matches = matchTarget(reading.hierarchy, { matcher }, scan)
    return matches.kind === 'found' ? matches.nodes : []
  }
  const found = ref === undefined ? undefined : resolveRef(ref, reading.snapshot)
  if (found?.ok !== true) return []
  return scan(reading.hierarchy.roots).filter(({ path }) => path === found.element.node_path)
}

/** The index of the chosen node: the requested one, or 0. */
export function chooseIndex(target: ElementTarget, index: number | undefined): number {
  return index ?? target.matcher?.index ?? 0
}

export function findElement(reading: GoodReading, node: UiNode): SnapshotElement {
  const element = reading.snapshot.elements.find(({ node_path }) => node_path === node.path)
  if (element === undefined) throw new Error(`The snapshot has no element ${node.path}.`)
  return element
}

export function buildOutline(reading: GoodReading, node: UiNode): ElementOutline {
  const { node_path, label, type, resource_id, matcher_role, bounds } = findElement(reading, node)
  return { node_path, label, type, resource_id, role: matcher_role, bounds }
}

export function chooseScan({ snapshot, hierarchy }: GoodReading, reach: Reach): Scan {
  if (reach === 'whole_tree') return scanWholeTree
  return scanOnScreen(resolveWindow({ resolution: snapshot.resolution, hierarchy }))
}

function matchesSelector(node: UiNode, selector: UiSelector): boolean {
  const { text, resource_id, accessibility_id, contains } = selector
  return (
    matchesText(attribute(node, 'text'), text, contains) &&
    matchesText(attribute(node, 'resource-id'), resource_id, contains) &&
    matchesText(attribute(node, 'content-desc'), accessibility_id, contains)
  )
}

function matchesText(value: string, expected: string | undefined, contains: boolean): boolean {
  const text = (expected ?? '').trim().toLowerCase()
  if (text === '') return true
  const actual = value.trim().toLowerCase()
  return contains ? actual.includes(text) : actual === text
}
