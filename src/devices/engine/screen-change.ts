import { isClockText } from '../../screen/fingerprint.ts'
import { collectOnScreenNodes, findWindow } from '../../screen/matcher.ts'
import { readOwnTexts } from '../../screen/obstruction/panel.ts'
import { type Hierarchy, isTrue, type UiNode } from '../../screen/tree/hierarchy.ts'

/** Whether a screen shows a text or state that the earlier one did not. A message that only disappeared is no change. */
export function showsMore(now: Hierarchy, earlier: Hierarchy): boolean {
  const known = listFacts(earlier)
  return [...listFacts(now)].some((fact) => !known.has(fact))
}

function listFacts(hierarchy: Hierarchy): ReadonlySet<string> {
  const nodes = collectOnScreenNodes(hierarchy.roots, findWindow(hierarchy))
  return new Set(nodes.flatMap(describeNode))
}

/** The texts of a node with its state. Clocks move by themselves. */
function describeNode(node: UiNode): string[] {
  const texts = readOwnTexts(node).filter((text) => !isClockText(text))
  const states = STATES.filter((name) => isTrue(node, name))
  return states.length === 0 ? texts : [`${texts.join(' ')} ${states.join(' ')}`, ...texts]
}

const STATES = ['checked', 'selected'] as const
