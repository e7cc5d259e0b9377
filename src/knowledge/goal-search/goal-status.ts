import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { shownText } from '../../screen/elements.ts'
import { attribute, isTrue, type UiNode } from '../../screen/hierarchy.ts'
import { labelOf } from '../../screen/roles.ts'
import { isNear, shownNumber } from '../../screen/shown-number.ts'
import { ancestorsOf, isTextField, titleWords } from '../interpret/read/screen.ts'
import { idWords } from '../interpret/read/words.ts'
import { isStepButton, wholeLabel } from './affordances.ts'
import type { Goal } from './goal.ts'
import { pinpoint, pinpointValue } from './pinpoint.ts'
import { contextOf, headOf, meantOf, type ScreenContext } from './screen-context.ts'
import { overlap, saysAll, wordsOf } from './words.ts'

/** Something that would bring the goal about. */
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

/** Whether the goal is reached, as far as this screen can tell. */
export type GoalStatus =
  | { readonly state: 'holds' }
  /** It is not, and each of these lists of deeds may bring it about. */
  | { readonly state: 'open'; readonly plans: readonly (readonly PlannedEdit[])[] }
  /** The screen does not show what the goal is about. */
  | { readonly state: 'unseen' }

const unseen: GoalStatus = { state: 'unseen' }

export function standingOf(goal: Goal, sight: ScreenContext): GoalStatus {
  switch (goal.kind) {
    case 'switch':
      return ofSwitch(goal, sight)
    case 'set':
      return ofValue(goal, sight)
    case 'open':
      return isCalled(goal.subject, titleWords(sight.screen)) ? { state: 'holds' } : unseen
    case 'create':
      return ofCreation(goal, sight)
  }
}

const planned = (...plans: (readonly PlannedEdit[])[]): GoalStatus =>
  plans.length === 0 ? unseen : { state: 'open', plans }

function isCalled(subject: string, title: string): boolean {
  const [wanted, said] = [wordsOf(subject), wordsOf(title)]
  return saysAll(wanted, said) && saysAll(said, wanted)
}

function ofSwitch(goal: Extract<Goal, { kind: 'switch' }>, sight: ScreenContext): GoalStatus {
  const { screen } = sight
  const switches = screen.nodes
    .filter((node) => isTrue(node, 'checkable') && !isChoice(node))
    .map((node) => ({ node, called: nameOfControl(node) }))
  const meant = meantOf(goal.subject, sight, switches)
  if (meant === undefined) return unseen
  if (isTrue(meant.node, 'checked') === goal.on) return { state: 'holds' }
  const matcher = pinpoint(screen.tree, meant.node)
  if (matcher === undefined || !isTrue(meant.node, 'enabled')) return unseen
  return planned([{ kind: 'check', matcher, checked: goal.on, label: meant.called }])
}

function ofValue(goal: Extract<Goal, { kind: 'set' }>, sight: ScreenContext): GoalStatus {
  for (const read of [ofChoice, ofStepper, ofField]) {
    const standing = read(goal, sight)
    if (standing.state !== 'unseen') return standing
  }
  return unseen
}

type SetGoal = Extract<Goal, { kind: 'set' }>

function ofChoice(goal: SetGoal, sight: ScreenContext): GoalStatus {
  const { screen } = sight
  const choices = screen.nodes
    .filter(isChoice)
    .filter((node) => isSameText(nameOfControl(node), goal.value))
    .map((node) => ({ node, called: `${headingOf(sight, node)} ${titleWords(screen)}` }))
  const meant = meantOf(goal.subject, sight, choices)
  if (meant === undefined) return unseen
  if (isTrue(meant.node, 'checked')) return { state: 'holds' }
  const matcher = pinpoint(screen.tree, meant.node)
  if (matcher === undefined || !isTrue(meant.node, 'enabled')) return unseen
  return planned([{ kind: 'choose', matcher, label: nameOfControl(meant.node) }])
}

function ofStepper(goal: SetGoal, sight: ScreenContext): GoalStatus {
  const target = shownNumber(goal.value)
  if (target === undefined) return unseen
  const { screen } = sight
  const steppers = screen.nodes
    .filter(
      (node) => !isTrue(node, 'clickable') && shownNumber(attribute(node, 'text')) !== undefined,
    )
    .flatMap((value) => {
      const buttons = (value.parent?.children ?? []).filter(isStepButton)
      const [decrease, increase] = buttons
      if (decrease === undefined || increase === undefined || value.parent === null) return []
      return [{ value, decrease, increase, called: nameOfGroup(value.parent) }]
    })
  const meant = meantOf(goal.subject, sight, steppers)
  if (meant === undefined) return unseen
  const read = shownNumber(attribute(meant.value, 'text'))
  if (read !== undefined && isNear(read, target)) return { state: 'holds' }
  const value = pinpointValue(screen.tree, meant.value)
  const [increase, decrease] = [meant.increase, meant.decrease].map((node) =>
    pinpoint(screen.tree, node),
  )
  if (value === undefined || increase === undefined || decrease === undefined) return unseen
  return planned([{ kind: 'step', value, increase, decrease, target, label: goal.subject }])
}

function ofField(goal: SetGoal, sight: ScreenContext): GoalStatus {
  const fields = sight.screen.nodes
    .filter((node) => isTextField(node) && !isTrue(node, 'password'))
    .map((node) => ({ node, called: nameOfField(node) }))
  const meant = meantOf(goal.subject, sight, fields)
  if (meant === undefined) return unseen
  if (isSameText(shownText(meant.node), goal.value)) return { state: 'holds' }
  const matcher = pinpoint(sight.screen.tree, meant.node)
  if (matcher === undefined) return unseen
  return planned([{ kind: 'type', matcher, text: goal.value, label: meant.called }])
}

/** What is to be made is seen by its text; it can be made in a form that was opened to make it. */
function ofCreation(goal: Extract<Goal, { kind: 'create' }>, sight: ScreenContext): GoalStatus {
  const { screen, trail } = sight
  const fields = screen.nodes.filter((node) => isTextField(node) && !isTrue(node, 'password'))
  if (fields.length === 0) {
    const shown = goal.title ?? goal.text
    return screen.nodes.some((node) => isSameText(labelOf(node), shown))
      ? { state: 'holds' }
      : unseen
  }
  const last = trail.at(-1)
  const fresh = last === undefined || BEGINS.test(last)
  if (!fresh || overlap(wordsOf(goal.subject), contextOf(sight)) === 0) return unseen
  const deeds = fields.flatMap((node): PlannedEdit[] => {
    const matcher = pinpoint(screen.tree, node)
    const label = `${nameOfField(node)} ${shownText(node)}`.trim()
    return matcher === undefined ? [] : [{ kind: 'type', matcher, text: goal.text, label }]
  })
  return planned(...plansOf(goal, deeds))
}

/** What is written on something that opens a form for a new thing. */
export const BEGINS = /^(?:new|add|create|compose|neu|neue|neuer|neues)(?![\p{L}\p{N}])|^\+/iu

function plansOf(
  { title, text }: Extract<Goal, { kind: 'create' }>,
  deeds: readonly PlannedEdit[],
): (readonly PlannedEdit[])[] {
  if (title === undefined) return deeds.map((deed) => [deed])
  const named =
    deeds.find(({ label }) => /title|name|subject|titel|betreff/iu.test(label)) ?? deeds[0]
  const body = deeds.find((deed) => deed !== named)
  if (named?.kind !== 'type' || body?.kind !== 'type') return []
  return [
    [
      { ...named, text: title },
      { ...body, text },
    ],
  ]
}

const CHOICES = /RadioButton|CheckedTextView$/

const isChoice = (node: UiNode): boolean =>
  isTrue(node, 'checkable') && CHOICES.test(attribute(node, 'class'))

/** What the switch says itself, else the name of the entry it stands in. */
function nameOfControl(node: UiNode): string {
  const own = labelOf(node).trim()
  if (own !== '') return own
  const row = ancestorsOf(node).find((one) => wholeLabel(one) !== '')
  return row === undefined || isTrue(row, 'scrollable') ? '' : headOf(wholeLabel(row))
}

/** The words beside a group of controls, and what its maker called it. */
function nameOfGroup(group: UiNode): string {
  const beside = (group.parent?.children ?? []).filter(
    (one) => one !== group && one.children.length === 0,
  )
  return [...beside.map((one) => labelOf(one)), idWords(group)].join(' ')
}

const nameOfField = (node: UiNode): string =>
  [attribute(node, 'hint'), attribute(node, 'content-desc'), idWords(node)]
    .filter((words) => words.trim() !== '')
    .join(' ')

/** The words above a list of choices. */
function headingOf({ screen }: ScreenContext, choice: UiNode): string {
  const group = choice.parent
  const at = group === null ? -1 : screen.nodes.indexOf(group)
  const above = screen.nodes
    .slice(0, at + 1)
    .findLast((node) => labelOf(node).trim() !== '' && !isTrue(node, 'clickable'))
  return above === undefined ? '' : labelOf(above)
}

const isSameText = (one: string, other: string): boolean => plainText(one) === plainText(other)

const plainText = (text: string): string => text.trim().replaceAll(/\s+/gu, ' ').toLowerCase()
