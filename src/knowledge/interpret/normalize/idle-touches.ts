import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { findCheckable, isRadio } from '../read/controls.ts'
import { type Intent, isLongPress, isTap } from '../read/intent.ts'
import { type NormalizedTrace, type Pruned, toPruned } from '../read/normalized-trace.ts'
import { findIdentity, findRowAround } from '../read/rows.ts'
import { findNode, isSameState, isSameView, isSlider, isTextField, type Screen } from '../read/screen.ts'

/** Drops touches and keys after which the screen was the same as before. */
export function dropIdleTouches(trace: NormalizedTrace): NormalizedTrace {
  const pruned: Pruned[] = [...trace.pruned]
  const intents = trace.intents.filter((intent, at) => {
    const [previous, next] = [trace.intents[at - 1], trace.intents[at + 1]]
    if (closesKeyboard(previous, intent)) {
      pruned.push(toPruned([intent], 'no_effect', 'The keyboard was closed'))
      return false
    }
    if (!isIdle(intent, next)) return true
    pruned.push(
      isRepeatedBy(intent, next)
        ? toPruned([intent], 'repeat_collapsed', 'The same touch was repeated')
        : toPruned([intent], 'no_effect', 'Nothing changed on the screen'),
    )
    return false
  })
  return { ...trace, intents, pruned }
}

function isRepeatedBy(intent: Intent, next: Intent | undefined): boolean {
  if (next?.kind !== intent.kind || isLongPress(next) !== isLongPress(intent)) return false
  return next.node?.path === intent.node?.path
}

function isIdle(intent: Intent, next: Intent | undefined): boolean {
  const { kind, node, before, after, pinned } = intent
  if (pinned === true || before === undefined || after === undefined) return false
  if (after.is_loading || (kind !== 'press' && kind !== 'key')) return false
  if (node !== undefined && (isSlider(node) || selectsRadio(intent))) return false
  if (node !== undefined && isTextField(node)) return isSameView(before, after)
  if (leavesSwitchUnchanged(intent)) return true
  if (!isSameState(before, after)) return false
  // The last touch may have an effect that no screen shows.
  const mayAct = kind !== 'key' && node !== undefined && isTrue(node, 'enabled') && isInteractive(node)
  return next !== undefined || !mayAct
}

/** Back after typing that leaves the screen open has only closed the keyboard. */
function closesKeyboard(previous: Intent | undefined, { kind, key, before, after, pinned }: Intent): boolean {
  if (kind !== 'key' || key !== 'back' || pinned === true || previous?.kind !== 'type') return false
  return before !== undefined && after !== undefined && isSameView(before, after)
}

/** A switch with its old state was switched back or not at all. A recipe must not tap it. */
function leavesSwitchUnchanged(intent: Intent): boolean {
  const { node, before, after } = intent
  if (!isTap(intent) || node === undefined || before === undefined) return false
  if (after === undefined || !isSameView(before, after)) return false
  if (findCheckable(node, before) === undefined || isOfOtherRow(node, after)) return false
  return [...subtree(node)].every((one) => {
    const now = findNode(after, one.path)
    return now !== undefined && VISIBLE_ATTRIBUTES.every((name) => attribute(now, name) === attribute(one, name))
  })
}

/** Whether another list entry is now at the place of the touched one, which is gone or moved. */
function isOfOtherRow(node: UiNode, after: Screen): boolean {
  const now = findNode(after, node.path)
  const [row, other] = [findRowAround(node), now && findRowAround(now)]
  const [name, otherName] = [row && findIdentity(row), other && findIdentity(other)]
  return name !== undefined && otherName !== undefined && name.text !== otherName.text
}

const VISIBLE_ATTRIBUTES = ['text', 'content-desc', 'checked', 'selected', 'enabled'] as const

/** Selecting the option that is already selected is still a choice. */
function selectsRadio({ node, before }: Intent): boolean {
  const control = node && before && findCheckable(node, before)
  return control !== undefined && isRadio(control)
}

function isInteractive(node: UiNode): boolean {
  return isTrue(node, 'clickable') || isTrue(node, 'long-clickable') || isTrue(node, 'checkable')
}
