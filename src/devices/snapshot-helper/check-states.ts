import { createHash } from 'node:crypto'
import { attribute, isTrue, subtree } from '../../screen/tree/hierarchy.ts'
import type { UiNode } from '../../screen/tree/hierarchy.ts'

/** Classes of Android that can be checked, by the end of their name. */
const CHECKABLE_CLASS =
  /(?:Switch|SwitchCompat|CheckBox|RadioButton|ToggleButton|CompoundButton|CheckedTextView|Chip|MenuItem)$/

const MAX_SCREENS = 500

/**
 * Remembers screens on which nothing can be checked, as `uiautomator dump` has shown. The helper does not say what can be
 * checked and what is: a screen with a control that might be a switch is read by it only if it is known here.
 */
export class UncheckedScreens {
  readonly #known = new Set<string>()

  /** Whether the tree of the helper is enough for this screen. */
  isEnough(root: UiNode): boolean {
    const candidates = listCandidates(root)
    return candidates.length === 0 || this.#known.has(toKey(root, candidates))
  }

  /** Learns from a dump of the same window. Returns false if something on it can be checked. */
  learn(root: UiNode): boolean {
    if ([...subtree(root)].some((node) => isTrue(node, 'checkable'))) return false
    if (this.#known.size >= MAX_SCREENS) this.#known.clear()
    this.#known.add(toKey(root, listCandidates(root)))
    return true
  }
}

/** The nodes that might be switches. */
function listCandidates(root: UiNode): readonly UiNode[] {
  return [...subtree(root)].filter((node) => {
    if (attribute(node, 'visible-to-user') === 'false') return false
    const name = attribute(node, 'class')
    return CHECKABLE_CLASS.test(name) || (name === VIEW && mayBeToggle(node))
  })
}

const VIEW = 'android.view.View'

/** Compose shows a switch as a plain view, like everything else that can be touched. Its buttons contain a node that says so. */
function mayBeToggle(node: UiNode): boolean {
  if (node.children.some((child) => attribute(child, 'class') === 'android.widget.Button')) return false
  return isTrue(node, 'clickable') || isTrue(node, 'focusable') || attribute(node, 'enabled') === 'false'
}

function toKey(root: UiNode, candidates: readonly UiNode[]): string {
  const hash = createHash('sha256').update(attribute(root, 'package'))
  for (const node of candidates) {
    for (const one of subtree(node)) {
      if (attribute(one, 'visible-to-user') === 'false') continue
      hash.update(
        `\n${['class', 'resource-id', 'text', 'content-desc'].map((name) => attribute(one, name)).join('\0')}`,
      )
    }
    hash.update('\n')
  }
  return hash.digest('base64')
}
