import type { ElementOutline, SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'
import type { ElementTarget, UiSelector } from '@apprentice/contracts/devices/verification.ts'
import { resolveRef } from '../element-ref.ts'
import { type UiNode, attribute } from '../hierarchy.ts'
import { type Scan, everywhere, matchTarget, onScreen } from '../matcher.ts'
import type { GoodReading } from './observation.ts'
import { windowFor } from '../snapshot.ts'

export type Reach = 'on_screen' | 'whole_tree'

/** The nodes a target names in one reading, in tree order. A reference names one or none. */
export function lookUp(
  reading: GoodReading,
  target: ElementTarget,
  reach: Reach,
): readonly UiNode[] {
  const scan = scanOf(reading, reach)
  const { selector, matcher, ref } = target
  if (selector !== undefined) {
    return scan(reading.hierarchy.roots).filter((node) => fitsSelector(node, selector))
  }
  if (matcher !== undefined) {
    const matches = matchTarget(reading.hierarchy, { matcher }, scan)
    return matches.kind === 'found' ? matches.nodes : []
  }
  const found = ref === undefined ? undefined : resolveRef(ref, reading.snapshot)
  if (found?.ok !== true) return []
  return scan(reading.hierarchy.roots).filter(({ path }) => path === found.element.node_path)
}

/** Which of the named nodes is meant: the n-th, or the first. */
export function chosenIndex(target: ElementTarget, index: number | undefined): number {
  return index ?? target.matcher?.index ?? 0
}

export function elementOf(reading: GoodReading, node: UiNode): SnapshotElement {
  const element = reading.snapshot.elements.find(({ node_path }) => node_path === node.path)
  if (element === undefined) throw new Error(`The snapshot has no element ${node.path}.`)
  return element
}

export function outlineOf(reading: GoodReading, node: UiNode): ElementOutline {
  const { node_path, label, type, resource_id, matcher_role, bounds } = elementOf(reading, node)
  return { node_path, label, type, resource_id, role: matcher_role, bounds }
}

export function scanOf({ snapshot, hierarchy }: GoodReading, reach: Reach): Scan {
  if (reach === 'whole_tree') return everywhere
  return onScreen(windowFor({ resolution: snapshot.resolution, hierarchy }))
}

function fitsSelector(node: UiNode, selector: UiSelector): boolean {
  const { text, resource_id, accessibility_id, contains } = selector
  return (
    fitsWord(attribute(node, 'text'), text, contains) &&
    fitsWord(attribute(node, 'resource-id'), resource_id, contains) &&
    fitsWord(attribute(node, 'content-desc'), accessibility_id, contains)
  )
}

function fitsWord(value: string, wanted: string | undefined, contains: boolean): boolean {
  const word = (wanted ?? '').trim().toLowerCase()
  if (word === '') return true
  const shown = value.trim().toLowerCase()
  return contains ? shown.includes(word) : shown === word
}
