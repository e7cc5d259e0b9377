import { OperationFailure } from '../../adb/operation-failure.ts'
import { requireSendable } from '../../adb/quoting.ts'
import { type UiNode, attribute, isTrue } from '../../../screen/tree/hierarchy.ts'
import { type Target, collectOnScreenNodes, findWindow } from '../../../screen/matcher.ts'
import { inferMatcherRole } from '../../../screen/tree/roles.ts'
import { buildTypingCommands } from '../../driver/text-entry.ts'
import type { ActionParams } from './action-params.ts'
import { assertAdmitted } from '../admission.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { withRetry } from '../retry.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { tryReadScreen, readScreenOnce } from '../read-screen.ts'
import { type StepNotes, describeNode, isPassword } from '../step-evidence.ts'
import { type StepData, StepFailure, translateFailure, toStepFailure } from '../step-failure.ts'
import { findActionTarget, recordTarget } from '../target-lookup.ts'
import { sendGesture, touchNode } from '../touch.ts'

type EnterText = ActionParams<'enter_text'>

/**
 * Focuses a field by touching it, appends or replaces its text, and reads it back. With `intoFocus` it
 * touches nothing and types at the cursor.
 */
export async function enterText(execution: EngineExecution, params: EnterText, notes: StepNotes): Promise<StepData> {
  assertTypeable(params.text)
  const { field, isFilled } = await withRetry(execution, params.retry, () => focusTargetField(execution, params, notes))
  notes.password = isPassword(field)
  if (!isFilled) await type(execution, params, attribute(field, 'text'))
  const verified = isFilled ? 'true' : await readBack(execution, params, field, notes)
  if (params.submit) {
    delete notes.after
    await sendGesture(execution, (driver, limits) => driver.keyevent('enter', limits))
  }
  return {
    text: notes.password ? '' : params.text,
    submit: String(params.submit),
    clear: String(params.clear),
    verified,
    ...(isFilled && !params.submit && { already: 'true' }),
    ...(notes.password && { password: 'true' }),
  }
}

/** Presses a key of a keyboard in the focused field. It is never repeated, because half of it may have been done. */
export async function pressEditKey(
  execution: EngineExecution,
  { key, times }: ActionParams<'press_edit_key'>,
  notes: StepNotes,
): Promise<StepData> {
  notes.password = isPassword(await readFocusedField(execution, notes))
  execution.history.act(execution.now())
  await sendGesture(execution, (driver, limits) =>
    key === 'delete' ? driver.clearText(times, limits) : driver.keyevent(key, limits),
  )
  return { key, times: String(times) }
}

/** Refuses text that cannot be typed, before anything is touched. */
function assertTypeable(text: string): void {
  try {
    requireSendable(text)
  } catch (error) {
    throw error instanceof OperationFailure ? toStepFailure(error) : error
  }
  if (text.includes('\t')) {
    const message = 'A tab would move the focus to another field; nothing was typed.'
    throw new StepFailure('TEXT_UNSUPPORTED', message, { data: { detail: 'U+0009' } })
  }
}

interface FocusedField {
  readonly field: UiNode
  /** It already shows the text, so nothing has to be typed. */
  readonly isFilled: boolean
}

async function focusTargetField(
  execution: EngineExecution,
  params: EnterText,
  notes: StepNotes,
): Promise<FocusedField> {
  const { matcher, intoFocus } = params
  if (intoFocus) return { field: await readFocusedField(execution, notes), isFilled: false }
  if (matcher === undefined) throw new Error('enter_text needs a matcher or intoFocus.')
  return focusField(execution, { ...params, matcher }, notes)
}

async function readFocusedField(execution: EngineExecution, notes: StepNotes): Promise<UiNode> {
  const reading = execution.takeReusableReading() ?? (await readScreenOnce(execution))
  notes.before = reading
  const field = findFocusedField(collectOnScreenNodes(reading.hierarchy.roots, findWindow(reading.hierarchy)))
  if (field !== undefined) {
    await assertAdmitted(execution, field)
    return recordTarget({ reading, node: field }, notes).node
  }
  const message = 'No text field is focused; nothing was typed.'
  throw new StepFailure('NODE_NOT_EDITABLE', message, { retryable: true, seen: reading })
}

async function focusField(
  execution: EngineExecution,
  params: EnterText & Target,
  notes: StepNotes,
): Promise<FocusedField> {
  const { matcher, container, strict, submit } = params
  const found = await findActionTarget(execution, { matcher, container, strict }, notes)
  const { reading, node } = found
  const field = findEditable(reading, node)
  if (field === undefined) {
    throw new StepFailure('NODE_NOT_EDITABLE', 'The node does not accept text.')
  }
  if (field !== node) notes.node = describeNode(field)
  const isFilled = params.clear && !isPassword(field) && readEntered(field) === params.text
  // A field is touched even if it is filled when the text is to be submitted from it.
  if (!isFilled || submit) await touchNode(execution, { ...found, node: field }, 'click', notes)
  return { field, isFilled }
}

/** The hint of an empty field is not its text. */
function readEntered(field: UiNode): string {
  const text = attribute(field, 'text')
  return text === attribute(field, 'hint') ? '' : text
}

/** The node itself or the first text field in it. A focusable view of unknown role may be a custom editor. */
function findEditable({ hierarchy }: ScreenReading, node: UiNode): UiNode | undefined {
  const inside = collectOnScreenNodes([node], findWindow(hierarchy))
  const field = inside.find((one) => inferMatcherRole(one) === 'textfield')
  if (field !== undefined) return field
  return isTrue(node, 'focusable') && inferMatcherRole(node) === 'unknown' ? node : undefined
}

async function type(execution: EngineExecution, params: EnterText, current: string): Promise<void> {
  const { text, clear, intoFocus } = params
  if (current !== '' && (clear || !intoFocus)) await moveCursorToEnd(execution, current)
  if (!clear || current === '') return typeText(execution, text)
  const byKeys = buildTypingCommands(text) !== undefined
  // Whether text without keys can be typed is only known after typing, so the old text is deleted afterwards.
  if (!byKeys) await typeText(execution, text)
  const length = Math.min(MAX_CLEARED, current.length + (byKeys ? 0 : text.length))
  await sendGesture(execution, (driver, limits) => driver.clearText(length, limits))
  await typeText(execution, text)
}

/** A touch can place the cursor anywhere. The end key moves to the end of the line, so go to the last line first. */
async function moveCursorToEnd(execution: EngineExecution, current: string): Promise<void> {
  if (current.length > MAX_SINGLE_LINE_LENGTH || current.includes('\n')) {
    await sendGesture(execution, (driver, limits) => driver.keyevent(PAGE_DOWN, limits))
  }
  await sendGesture(execution, (driver, limits) => driver.keyevent('move_end', limits))
}

const PAGE_DOWN = 93
/** Longer texts may be wrapped. */
const MAX_SINGLE_LINE_LENGTH = 24
const MAX_CLEARED = 10_000

/** Key events are slow, so a long text would exceed the time limit of one command. */
async function typeText(execution: EngineExecution, text: string): Promise<void> {
  execution.history.act(execution.now())
  for (const piece of splitTyping(text)) {
    await translateFailure(
      execution.command((driver, limits) => driver.enterText(piece, limits)),
      (failure) => toStepFailure(failure, { commandFailed: 'GESTURE_FAILED' }),
    )
  }
}

/** Text without keys is sent as a whole, because each command would switch the keyboard. */
function splitTyping(text: string): string[] {
  if (buildTypingCommands(text) === undefined) return [text]
  return text.replaceAll('\r\n', '\n').match(TYPED_AT_ONCE) ?? []
}

const TYPED_AT_ONCE = /[^]{1,800}/g

type Verified = 'true' | 'false' | 'unreadable'

/** A password field does not display its text, so it is not read back. */
async function readBack(
  execution: EngineExecution,
  params: EnterText,
  field: UiNode,
  notes: StepNotes,
): Promise<Verified> {
  if (isPassword(field)) return 'unreadable'
  let verified: Verified = 'unreadable'
  for (let reads = 0; reads < MAX_READ_BACKS && verified !== 'true'; reads += 1) {
    const reading = await tryReadScreen(execution)
    if (reading === undefined) continue
    notes.after = reading
    verified = compare(params, field, findField(reading, field))
  }
  return verified
}

const MAX_READ_BACKS = 2

function findField({ hierarchy }: ScreenReading, field: UiNode): UiNode | undefined {
  const focused = findFocusedField(hierarchy.nodes)
  if (focused !== undefined && isSameField(focused, field)) return focused
  return hierarchy.nodes.find((node) => node.path === field.path && isSameField(node, field))
}

function findFocusedField(nodes: readonly UiNode[]): UiNode | undefined {
  return nodes.find((node) => isTrue(node, 'focused') && inferMatcherRole(node) === 'textfield')
}

function isSameField(one: UiNode, other: UiNode): boolean {
  return ['resource-id', 'class'].every((name) => attribute(one, name) === attribute(other, name))
}

/** The previous content of the field may have been only its hint. */
function compare(params: EnterText, before: UiNode, after: UiNode | undefined): Verified {
  if (after === undefined || isPassword(after)) return 'unreadable'
  const typed = params.text.replaceAll('\r\n', '\n')
  const [was, current] = [attribute(before, 'text'), attribute(after, 'text')]
  if (current === typed) return 'true'
  if (params.clear) return 'false'
  const isAdded = params.intoFocus ? isInserted(typed, was, current) : current === was + typed
  return isAdded ? 'true' : 'false'
}

/** The position of the cursor is unknown, so every position is checked. */
function isInserted(typed: string, was: string, current: string): boolean {
  for (let at = current.indexOf(typed); at >= 0; at = current.indexOf(typed, at + 1)) {
    if (current.slice(0, at) + current.slice(at + typed.length) === was) return true
  }
  return false
}
