import { OperationFailure } from '../../adb/operation-failure.ts'
import { sendable } from '../../adb/quoting.ts'
import { type UiNode, attribute, isTrue } from '../../../screen/hierarchy.ts'
import { type Target, onScreenNodes, windowOf } from '../../../screen/matcher.ts'
import { matcherRole } from '../../../screen/roles.ts'
import { typingCommands } from '../../driver/text-entry.ts'
import type { ParamsOf } from './action-params.ts'
import { assertAdmitted } from '../admission.ts'
import type { EngineRun } from '../engine-run.ts'
import { retrying } from '../retrying.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { glance, lookOrFail } from '../screen-reads.ts'
import { type StepNotes, describeNode, isPassword } from '../step-evidence.ts'
import { type StepData, StepFailure, naming, refusedBy } from '../step-failure.ts'
import { findToActOn, noted } from '../target-lookup.ts'
import { gesture, touchNode } from '../touching.ts'

type EnterText = ParamsOf<'enter_text'>

/**
 * Focuses a field by touching it, types at its end or instead of its text, and reads it back. Asked to
 * type into the focus it touches nothing, and types where the cursor stands.
 */
export async function enterText(
  run: EngineRun,
  params: EnterText,
  notes: StepNotes,
): Promise<StepData> {
  assertTypeable(params.text)
  const field = await retrying(run, params.retry, () => fieldToTypeIn(run, params, notes))
  notes.password = isPassword(field)
  await type(run, params, attribute(field, 'text'))
  const verified = await readBack(run, params, field, notes)
  if (params.submit) {
    delete notes.after
    await gesture(run, (driver, limits) => driver.keyevent('enter', limits))
  }
  return {
    text: notes.password ? '' : params.text,
    submit: String(params.submit),
    clear: String(params.clear),
    verified,
    ...(notes.password && { password: 'true' }),
  }
}

/** Refuses what could not arrive before anything is touched. */
function assertTypeable(text: string): void {
  try {
    sendable(text)
  } catch (error) {
    throw error instanceof OperationFailure ? refusedBy(error) : error
  }
  if (text.includes('\t')) {
    const message = 'A tab would move the focus to another field; nothing was typed.'
    throw new StepFailure('TEXT_UNSUPPORTED', message, { data: { detail: 'U+0009' } })
  }
}

function fieldToTypeIn(run: EngineRun, params: EnterText, notes: StepNotes): Promise<UiNode> {
  const { matcher, container, strict, intoFocus } = params
  if (intoFocus) return fieldInFocus(run, notes)
  if (matcher === undefined) throw new Error('A text has a matcher or goes into the focus.')
  return focusField(run, { matcher, container, strict }, notes)
}

async function fieldInFocus(run: EngineRun, notes: StepNotes): Promise<UiNode> {
  const reading = run.takeOffered() ?? (await lookOrFail(run))
  notes.before = reading
  const field = focusedField(onScreenNodes(reading.hierarchy.roots, windowOf(reading.hierarchy)))
  if (field !== undefined) {
    assertAdmitted(run, field)
    return noted({ reading, node: field }, notes).node
  }
  const message = 'No text field has the focus; nothing was typed.'
  throw new StepFailure('NODE_NOT_EDITABLE', message, { retryable: true, seen: reading })
}

async function focusField(run: EngineRun, target: Target, notes: StepNotes): Promise<UiNode> {
  const { reading, node } = await findToActOn(run, target, notes)
  const field = editableIn(reading, node)
  if (field === undefined) {
    throw new StepFailure('NODE_NOT_EDITABLE', 'What was found takes no text.')
  }
  if (field !== node) notes.node = describeNode(field)
  await touchNode(run, { reading, node: field }, 'click', notes)
  return field
}

/** The node itself or the first field in it; a bare focusable view may be an editor of its own kind. */
function editableIn({ hierarchy }: ScreenReading, node: UiNode): UiNode | undefined {
  const inside = onScreenNodes([node], windowOf(hierarchy))
  const field = inside.find((one) => matcherRole(one) === 'textfield')
  if (field !== undefined) return field
  return isTrue(node, 'focusable') && matcherRole(node) === 'unknown' ? node : undefined
}

async function type(run: EngineRun, params: EnterText, shown: string): Promise<void> {
  const { text, clear, intoFocus } = params
  if (shown !== '' && (clear || !intoFocus)) await goToEnd(run, shown)
  if (!clear || shown === '') return typeText(run, text)
  const byKeys = typingCommands(text) !== undefined
  // Only typing tells whether a text without keys can be typed: the old one must not be lost for it.
  if (!byKeys) await typeText(run, text)
  const length = Math.min(MAX_CLEARED, shown.length + (byKeys ? 0 : text.length))
  await gesture(run, (driver, limits) => driver.clearText(length, limits))
  await typeText(run, text)
}

/** A touch puts the cursor anywhere. The end of the line is the end of the text only in its last line. */
async function goToEnd(run: EngineRun, shown: string): Promise<void> {
  if (shown.length > ONE_LINE || shown.includes('\n')) {
    await gesture(run, (driver, limits) => driver.keyevent(PAGE_DOWN, limits))
  }
  await gesture(run, (driver, limits) => driver.keyevent('move_end', limits))
}

const PAGE_DOWN = 93
/** Longer texts may be broken into lines. */
const ONE_LINE = 24
const MAX_CLEARED = 10_000

function typeText(run: EngineRun, text: string): Promise<void> {
  return naming(
    run.act((driver, limits) => driver.enterText(text, limits)),
    (failure) => refusedBy(failure, { commandFailed: 'GESTURE_FAILED' }),
  )
}

type Verified = 'true' | 'false' | 'unreadable'

/** What a password field shows says nothing, so it is not even looked at. */
async function readBack(
  run: EngineRun,
  params: EnterText,
  field: UiNode,
  notes: StepNotes,
): Promise<Verified> {
  if (isPassword(field)) return 'unreadable'
  let verified: Verified = 'unreadable'
  for (let look = 0; look < READ_BACKS && verified !== 'true'; look += 1) {
    const reading = await glance(run)
    if (reading === undefined) continue
    notes.after = reading
    verified = compare(params, field, fieldOn(reading, field))
  }
  return verified
}

const READ_BACKS = 2

function fieldOn({ hierarchy }: ScreenReading, field: UiNode): UiNode | undefined {
  const focused = focusedField(hierarchy.nodes)
  if (focused !== undefined && isSameField(focused, field)) return focused
  return hierarchy.nodes.find((node) => node.path === field.path && isSameField(node, field))
}

function focusedField(nodes: readonly UiNode[]): UiNode | undefined {
  return nodes.find((node) => isTrue(node, 'focused') && matcherRole(node) === 'textfield')
}

function isSameField(one: UiNode, other: UiNode): boolean {
  return ['resource-id', 'class'].every((name) => attribute(one, name) === attribute(other, name))
}

/** What the field showed before may have been its text or only its hint. */
function compare(params: EnterText, before: UiNode, after: UiNode | undefined): Verified {
  if (after === undefined || isPassword(after)) return 'unreadable'
  const typed = params.text.replaceAll('\r\n', '\n')
  const [was, shown] = [attribute(before, 'text'), attribute(after, 'text')]
  if (shown === typed) return 'true'
  if (params.clear) return 'false'
  const isAdded = params.intoFocus ? isInserted(typed, was, shown) : shown === was + typed
  return isAdded ? 'true' : 'false'
}

/** No tree tells where the cursor stood. */
function isInserted(typed: string, was: string, shown: string): boolean {
  for (let at = shown.indexOf(typed); at >= 0; at = shown.indexOf(typed, at + 1)) {
    if (shown.slice(0, at) + shown.slice(at + typed.length) === was) return true
  }
  return false
}
