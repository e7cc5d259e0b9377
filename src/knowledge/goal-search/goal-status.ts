import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { readDisplayedText } from '../../screen/elements.ts'
import { attribute, isTrue, type UiNode } from '../../screen/hierarchy.ts'
import { readLabel } from '../../screen/roles.ts'
import { isNear, parseDisplayedNumber } from '../../screen/displayed-number.ts'
import { listAncestors, isTextField, readTitle } from '../interpret/read/screen.ts'
import { formatId } from '../interpret/read/node-text.ts'
import { isStepButton, readWholeLabel } from './affordances.ts'
import type { Goal } from './goal.ts'
import { findUniqueMatcher, findUniqueValueMatcher } from './unique-matcher.ts'
import { listContextWords, readEntryName, findSubject, type ScreenContext } from './screen-context.ts'
import { measureOverlap, containsAll, splitWords } from './goal-words.ts'

/** A change on a screen that may reach the goal. */
export type PlannedEdit =
  | {
      readonly kind: 'check'
      readonly matcher: NodeMatcher
      readonly checked: boolean
      readonly label: string
    }
  | { readonly kind: 'choose'; readonly matcher: NodeMatcher; readonly label: string }
  | {
      readonly kind: 'step'
      readonly value: NodeMatcher
      readonly increase: NodeMatcher
      readonly decrease: NodeMatcher
      readonly target: number
      readonly label: string
    }
  | {
      readonly kind: 'type'
      readonly matcher: NodeMatcher
      readonly text: string
      readonly label: string
    }

/** Whether a screen shows that the goal is reached. */
export type GoalStatus =
  | { readonly state: 'holds' }
  /** It is not reached. Each plan may reach it. */
  | { readonly state: 'open'; readonly plans: readonly (readonly PlannedEdit[])[] }
  /** The screen does not show the subject of the goal. */
  | { readonly state: 'unseen' }

const UNSEEN: GoalStatus = { state: 'unseen' }

export function evaluateGoal(goal: Goal, context: ScreenContext): GoalStatus {
  switch (goal.kind) {
    case 'switch':
      return evaluateSwitch(goal, context)
    case 'set':
      return evaluateValue(goal, context)
    case 'open':
      return isTitle(goal.subject, readTitle(context.screen)) ? { state: 'holds' } : UNSEEN
    case 'create':
      return evaluateCreation(goal, context)
  }
}

const toOpenStatus = (...plans: (readonly PlannedEdit[])[]): GoalStatus =>
  plans.length === 0 ? UNSEEN : { state: 'open', plans }

function isTitle(subject: string, title: string): boolean {
  const [expected, actual] = [splitWords(subject), splitWords(title)]
  return containsAll(expected, actual) && containsAll(actual, expected)
}

function evaluateSwitch(goal: Extract<Goal, { kind: 'switch' }>, context: ScreenContext): GoalStatus {
  const { screen } = context
  const switches = screen.nodes
    .filter((node) => isTrue(node, 'checkable') && !isChoice(node))
    .map((node) => ({ node, name: readControlName(node) }))
  const match = findSubject(goal.subject, context, switches)
  if (match === undefined) return UNSEEN
  if (isTrue(match.node, 'checked') === goal.on) return { state: 'holds' }
  const matcher = findUniqueMatcher(screen.tree, match.node)
  if (matcher === undefined || !isTrue(match.node, 'enabled')) return UNSEEN
  return toOpenStatus([{ kind: 'check', matcher, checked: goal.on, label: match.name }])
}

type SetGoal = Extract<Goal, { kind: 'set' }>

function evaluateValue(goal: SetGoal, context: ScreenContext): GoalStatus {
  for (const evaluate of [evaluateChoice, evaluateStepper, evaluateField]) {
    const status = evaluate(goal, context)
    if (status.state !== 'unseen') return status
  }
  return UNSEEN
}

function evaluateChoice(goal: SetGoal, context: ScreenContext): GoalStatus {
  const { screen } = context
  const choices = screen.nodes
    .filter(isChoice)
    .filter((node) => isSameText(readControlName(node), goal.value))
    .map((node) => ({ node, name: `${readHeading(context, node)} ${readTitle(screen)}` }))
  const match = findSubject(goal.subject, context, choices)
  if (match === undefined) return UNSEEN
  if (isTrue(match.node, 'checked')) return { state: 'holds' }
  const matcher = findUniqueMatcher(screen.tree, match.node)
  if (matcher === undefined || !isTrue(match.node, 'enabled')) return UNSEEN
  return toOpenStatus([{ kind: 'choose', matcher, label: readControlName(match.node) }])
}

function evaluateStepper(goal: SetGoal, context: ScreenContext): GoalStatus {
  const target = parseDisplayedNumber(goal.value)
  if (target === undefined) return UNSEEN
  const { screen } = context
  const steppers = screen.nodes
    .filter((node) => !isTrue(node, 'clickable') && parseDisplayedNumber(attribute(node, 'text')) !== undefined)
    .flatMap((value) => {
      const buttons = (value.parent?.children ?? []).filter(isStepButton)
      const [decrease, increase] = buttons
      if (decrease === undefined || increase === undefined || value.parent === null) return []
      return [{ value, decrease, increase, name: readGroupName(value.parent) }]
    })
  const match = findSubject(goal.subject, context, steppers)
  if (match === undefined) return UNSEEN
  const read = parseDisplayedNumber(attribute(match.value, 'text'))
  if (read !== undefined && isNear(read, target)) return { state: 'holds' }
  const value = findUniqueValueMatcher(screen.tree, match.value)
  const [increase, decrease] = [match.increase, match.decrease].map((node) => findUniqueMatcher(screen.tree, node))
  if (value === undefined || increase === undefined || decrease === undefined) return UNSEEN
  return toOpenStatus([{ kind: 'step', value, increase, decrease, target, label: goal.subject }])
}

function evaluateField(goal: SetGoal, context: ScreenContext): GoalStatus {
  const fields = context.screen.nodes
    .filter((node) => isTextField(node) && !isTrue(node, 'password'))
    .map((node) => ({ node, name: readFieldName(node) }))
  const match = findSubject(goal.subject, context, fields)
  if (match === undefined) return UNSEEN
  if (isSameText(readDisplayedText(match.node), goal.value)) return { state: 'holds' }
  const matcher = findUniqueMatcher(context.screen.tree, match.node)
  if (matcher === undefined) return UNSEEN
  return toOpenStatus([{ kind: 'type', matcher, text: goal.value, label: match.name }])
}

/** A screen without fields shows the created text; a form can create it if the last tap opened a new one. */
function evaluateCreation(goal: Extract<Goal, { kind: 'create' }>, context: ScreenContext): GoalStatus {
  const { screen, trail } = context
  const fields = screen.nodes.filter((node) => isTextField(node) && !isTrue(node, 'password'))
  if (fields.length === 0) {
    const expected = goal.title ?? goal.text
    return screen.nodes.some((node) => isSameText(readLabel(node), expected)) ? { state: 'holds' } : UNSEEN
  }
  const last = trail.at(-1)
  const isNewForm = last === undefined || CREATE_LABELS.test(last)
  if (!isNewForm || measureOverlap(splitWords(goal.subject), listContextWords(context)) === 0) return UNSEEN
  const edits = fields.flatMap((node): PlannedEdit[] => {
    const matcher = findUniqueMatcher(screen.tree, node)
    const label = `${readFieldName(node)} ${readDisplayedText(node)}`.trim()
    return matcher === undefined ? [] : [{ kind: 'type', matcher, text: goal.text, label }]
  })
  return toOpenStatus(...buildPlans(goal, edits))
}

/** Labels of buttons that open a form for a new item. */
export const CREATE_LABELS = /^(?:new|add|create|compose|neu|neue|neuer|neues)(?![\p{L}\p{N}])|^\+/iu

function buildPlans(
  { title, text }: Extract<Goal, { kind: 'create' }>,
  edits: readonly PlannedEdit[],
): (readonly PlannedEdit[])[] {
  if (title === undefined) return edits.map((edit) => [edit])
  const named = edits.find(({ label }) => /title|name|subject|titel|betreff/iu.test(label)) ?? edits[0]
  const body = edits.find((edit) => edit !== named)
  if (named?.kind !== 'type' || body?.kind !== 'type') return []
  return [
    [
      { ...named, text: title },
      { ...body, text },
    ],
  ]
}

const CHOICE_CLASSES = /RadioButton|CheckedTextView$/

const isChoice = (node: UiNode): boolean => isTrue(node, 'checkable') && CHOICE_CLASSES.test(attribute(node, 'class'))

/** The label of the control, or the name of the list entry around it. */
function readControlName(node: UiNode): string {
  const own = readLabel(node).trim()
  if (own !== '') return own
  const row = listAncestors(node).find((one) => readWholeLabel(one) !== '')
  return row === undefined || isTrue(row, 'scrollable') ? '' : readEntryName(readWholeLabel(row))
}

/** The labels beside a group of controls, and its resource id. */
function readGroupName(group: UiNode): string {
  const beside = (group.parent?.children ?? []).filter((one) => one !== group && one.children.length === 0)
  return [...beside.map((one) => readLabel(one)), formatId(group)].join(' ')
}

const readFieldName = (node: UiNode): string =>
  [attribute(node, 'hint'), attribute(node, 'content-desc'), formatId(node)]
    .filter((text) => text.trim() !== '')
    .join(' ')

/** The label above a list of choices. */
function readHeading({ screen }: ScreenContext, choice: UiNode): string {
  const group = choice.parent
  const at = group === null ? -1 : screen.nodes.indexOf(group)
  const above = screen.nodes
    .slice(0, at + 1)
    .findLast((node) => readLabel(node).trim() !== '' && !isTrue(node, 'clickable'))
  return above === undefined ? '' : readLabel(above)
}

const isSameText = (one: string, other: string): boolean => normalizeText(one) === normalizeText(other)

const normalizeText = (text: string): string => text.trim().replaceAll(/\s+/gu, ' ').toLowerCase()
