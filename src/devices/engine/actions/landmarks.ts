import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type { Bounds } from '../../../screen/tree/bounds.ts'
import { type UiNode, attribute, isTrue } from '../../../screen/tree/hierarchy.ts'
import { resolveTarget } from '../../../screen/matcher.ts'
import type { EngineExecution } from '../engine-execution.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { createNotes, readDisplayedLabel } from '../step-evidence.ts'
import { StepFailure } from '../step-failure.ts'
import { touchNode } from '../touch.ts'

/**
 * Selects the tab or filter that was selected in the demonstration, if another one of its group is selected now. Returns
 * its label, or undefined if there was nothing to restore.
 */
export async function restoreLandmark(execution: EngineExecution, reading: ScreenReading): Promise<string | undefined> {
  for (const landmark of execution.landmarks) {
    const node = findDeselected(reading, landmark)
    if (node === undefined) continue
    execution.landmarks.delete(landmark)
    try {
      const touch = () => touchNode(execution, { reading, node }, 'click', createNotes(execution.action))
      await execution.history.ignoring(touch)
    } catch (error) {
      if (error instanceof StepFailure) return undefined
      throw error
    }
    await execution.sleep(SETTLE_MS)
    return readDisplayedLabel(node) || attribute(node, 'resource-id') || 'unnamed'
  }
  return undefined
}

/** Finds the node of a landmark, if another node of its group is selected instead of it. */
function findDeselected({ hierarchy }: ScreenReading, landmark: NodeMatcher): UiNode | undefined {
  const { selected: _selected, checked: _checked, ...matcher } = landmark
  const resolution = resolveTarget(hierarchy, { matcher, strict: true })
  if (resolution.kind !== 'found' || isChosen(resolution.node)) return undefined
  const group = listGroup(resolution.node)
  const chosen = group.filter(isChosen).length
  // The selected one may be further along in a strip that scrolls.
  const isHidden = chosen === 0 && group.length > 1 && isInStrip(resolution.node)
  return chosen === 1 || isHidden ? resolution.node : undefined
}

function isInStrip({ parent }: UiNode): boolean {
  if (parent === null) return false
  return isTrue(parent, 'scrollable') || (parent.parent !== null && isTrue(parent.parent, 'scrollable'))
}

function isChosen(node: UiNode): boolean {
  return isTrue(node, 'selected') || (isTrue(node, 'checkable') && isTrue(node, 'checked'))
}

/**
 * The nodes of one kind that stand in a line with a node: its siblings, or the nodes at the same place in the siblings of
 * its parent. A page without boxes may hold several tabs and filters as siblings.
 */
function listGroup(node: UiNode): readonly UiNode[] {
  const isAlike = (one: UiNode) => attribute(one, 'class') === attribute(node, 'class')
  const siblings = (node.parent?.children ?? []).filter(isAlike)
  const group =
    siblings.length > 1
      ? siblings
      : (node.parent?.parent?.children ?? []).flatMap((one) => one.children.filter(isAlike))
  const beside = group.filter((one) => isInLine(one, node, ['top', 'bottom']))
  if (beside.length > 1) return beside
  const below = group.filter((one) => isInLine(one, node, ['left', 'right']))
  return below.length > 1 ? below : group
}

function isInLine(one: UiNode, other: UiNode, edges: readonly (keyof Bounds)[]): boolean {
  const { bounds } = one
  const { bounds: wanted } = other
  return bounds !== null && wanted !== null && edges.every((edge) => Math.abs(bounds[edge] - wanted[edge]) <= SLACK)
}

/** The selected member of a bar may be drawn a little smaller than the others. */
const SLACK = 30

const SETTLE_MS = 500
