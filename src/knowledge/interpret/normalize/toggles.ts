import { inferElementRole } from '../../../screen/tree/element-traits.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { findGroupsAround } from '../../../screen/row-around.ts'
import { findCheckable, isRadio } from '../read/controls.ts'
import { type Intent, isTap, joinIntents } from '../read/intent.ts'
import { readText, resourceId } from '../read/node-text.ts'
import { findIdentity, findRowAround } from '../read/rows.ts'
import { type NormalizedTrace, type Pruned, toPruned } from '../read/normalized-trace.ts'
import { findNode, isSameView, type Screen } from '../read/screen.ts'

/** Reads taps on a switch as setting it. Consecutive taps on one switch are joined; the last state counts. */
export function joinToggles(trace: NormalizedTrace): NormalizedTrace {
  const pruned: Pruned[] = [...trace.pruned]
  const intents: Intent[] = []
  for (const raw of trace.intents) {
    const intent = toToggle(raw)
    const previous = intents.at(-1)
    if (previous === undefined || !isSameSwitch(previous, intent)) {
      intents.push(intent)
      continue
    }
    intents.pop()
    pruned.push(toPruned([intent], 'repeat_collapsed', 'The same switch was tapped again'))
    const joined = joinIntents([previous, intent], { toggled: toLastState(previous, intent) })
    if (isChange(joined)) intents.push(joined)
    else pruned.push(toPruned([previous], 'no_effect', 'The switch ended in its old state'))
  }
  return { ...trace, intents, pruned }
}

function toToggle(intent: Intent): Intent {
  const { node, before, after, pinned } = intent
  if (!isTap(intent) || pinned === true || node === undefined) return intent
  if (before === undefined || after === undefined || !isSameView(before, after)) return intent
  const control = findCheckable(node, before)
  const now = control && findSameControl(control, after)
  if (control === undefined || now === undefined) return intent
  if (isTrue(control, 'checked') === isTrue(now, 'checked')) return intent
  if (isExclusive(control, before, after)) return intent
  return { ...intent, kind: 'toggle', toggled: { control, checked: isTrue(now, 'checked') } }
}

function isSameSwitch(previous: Intent, intent: Intent): boolean {
  const [one, other] = [previous.toggled?.control, intent.toggled?.control]
  if (previous.before === undefined || intent.before === undefined) return false
  return one !== undefined && one.path === other?.path && isSameView(previous.before, intent.before)
}

/** The control as it was before the first tap, with its state after the last. */
function toLastState(previous: Intent, intent: Intent): Intent['toggled'] {
  const [first, last] = [previous.toggled, intent.toggled]
  return first && last && { control: first.control, checked: last.checked }
}

function isChange({ toggled }: Intent): boolean {
  return toggled !== undefined && isTrue(toggled.control, 'checked') !== toggled.checked
}

/** Of several options that a plain view offers, only the tapped one is checked. */
function isOnlyChecked(control: UiNode, after: Screen): boolean {
  const around = findGroupsAround(control).filter(({ members }) =>
    members.every((member) => [...subtree(member)].some((node) => isTrue(node, 'checkable'))),
  )
  return around.some(({ members }) => {
    // A line that explains it makes it a setting of its own.
    if (members.some((member) => listCells(member).length > 1)) return false
    const now = members.map((member) => findNode(after, member.path))
    const checked = now.filter((member) => member && [...subtree(member)].some((node) => isTrue(node, 'checked')))
    return members.length > 2 && checked.length === 1
  })
}

/** The control on a later screen. The list may be sorted anew, or have a message above it. */
function findSameControl(control: UiNode, after: Screen): UiNode | undefined {
  const label = readControlName(control)
  const isAlike = (one: UiNode | undefined): one is UiNode =>
    one !== undefined &&
    attribute(one, 'class') === attribute(control, 'class') &&
    resourceId(one) === resourceId(control)
  const same = findNode(after, control.path)
  if (isAlike(same) && (label === '' || readControlName(same) === label)) return same
  const found = label === '' ? [] : after.nodes.filter((one) => isAlike(one) && readControlName(one) === label)
  return found.length === 1 ? found[0] : undefined
}

/** The first part of its label, or else what names its row. The rest may tell its state. */
function readControlName(control: UiNode): string {
  const row = findRowAround(control)
  return splitLabel(readText(control))[0] ?? (row && findIdentity(row)?.text) ?? ''
}

/** Checking it unchecked another control: that is a choice, not a switch. */
function isExclusive(control: UiNode, before: Screen, after: Screen): boolean {
  if (isRadio(control)) return true
  const role = inferElementRole(attribute(control, 'class'))
  if (role === 'switch' || role === 'checkbox') return false
  if (isOnlyChecked(control, after)) return true
  return before.nodes.some(
    (node) =>
      node !== control &&
      isTrue(node, 'checked') &&
      findNode(after, node.path)?.attributes['checked'] === 'false' &&
      attribute(node, 'class') === attribute(control, 'class'),
  )
}
