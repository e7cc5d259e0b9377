import { attribute, isTrue } from '../../screen/tree/hierarchy.ts'
import { readLabel } from '../../screen/tree/roles.ts'
import { findShownValue } from '../../screen/shown-value/shown-value.ts'
import { isTextField, readTitle } from '../interpret/read/screen.ts'
import { readWholeLabel, findBox } from './controls/control-box.ts'
import { listFields } from './controls/fields.ts'
import { listToggles } from './controls/toggles.ts'
import { evaluateValue } from './evaluate-value.ts'
import type { Desired, SubGoal } from './goal/goal.ts'
import { isFiller } from './goal/small-words.ts'
import { coversAll, splitWords } from './goal/words.ts'
import { type GoalStatus, toOpenStatus, UNSEEN } from './goal-status.ts'
import { isCreateLabel } from './opening-labels.ts'
import type { PlannedEdit } from './planned-edit.ts'
import { findSubject, listContextWords, type ScreenContext } from './screen-context.ts'
import { findUniqueMatcher } from './unique-matcher.ts'
import { readWanted, showsWanted } from './wanted-value.ts'

export function evaluateSubGoal(goal: SubGoal, context: ScreenContext): GoalStatus {
  const { desired } = goal
  switch (desired.kind) {
    case 'switch':
      return evaluateSwitch(goal, desired.on, context)
    case 'value':
      return evaluateValue(goal, desired.text, context)
    case 'open':
      return isTitle(goal, readTitle(context.screen)) ? { state: 'holds' } : UNSEEN
    case 'text':
      return evaluateText(goal, desired, context)
  }
}

/**
 * How often a screen shows the value or the text of a sub-goal in words, outside of controls that can be read. More often
 * than before a change proves the change.
 */
export function countShown(goal: SubGoal, context: ScreenContext): number {
  const { desired } = goal
  if (desired.kind === 'text') return listShownTexts(desired.title ?? desired.text, context).length
  if (desired.kind !== 'value' || desired.text === undefined) return 0
  const wanted = readWanted(desired.text)
  const contextWords = listContextWords(context)
  return context.screen.nodes.filter((node) => {
    if (isTextField(node) || node.children.length > 0 || !showsWanted(readLabel(node), wanted)) return false
    const box = findBox(node, [node])
    return coversAll(goal.words, [...contextWords, ...(box === undefined ? [] : splitWords(readWholeLabel(box)))])
  }).length
}

function isTitle({ words }: SubGoal, title: string): boolean {
  const actual = splitWords(title)
  const named = actual.filter((word) => !isFiller(word))
  return coversAll(words, actual) && coversAll(named.length > 0 ? named : actual, words)
}

function evaluateSwitch(goal: SubGoal, on: boolean, context: ScreenContext): GoalStatus {
  const { screen } = context
  const toggles = listToggles(screen)
  const checkable = findSubject(
    goal,
    context,
    toggles.filter(({ spoken }) => !spoken),
  )
  const match =
    checkable ??
    findSubject(
      goal,
      context,
      toggles.filter(({ spoken }) => spoken),
    )
  if (match === undefined) return UNSEEN
  if (match.on === on) return { state: 'holds' }
  const matcher = findUniqueMatcher(screen.tree, match.node)
  if (matcher === undefined || !isTrue(match.node, 'enabled')) return UNSEEN
  const base = { matcher, label: match.name, class: attribute(match.node, 'class') }
  return toOpenStatus([match.spoken ? { ...base, kind: 'choose' } : { ...base, kind: 'check', checked: on }])
}

type TextGoal = Extract<Desired, { kind: 'text' }>

/** The text is displayed outside of a field, or a form for something new can take it. */
function evaluateText(goal: SubGoal, desired: TextGoal, context: ScreenContext): GoalStatus {
  const words = listContextWords(context)
  const fields = listFields(context.screen)
  const formWords = [...words, ...fields.flatMap(({ name, text, around }) => splitWords(`${name} ${text} ${around}`))]
  const isPlace = goal.words.length === 0 || coversAll(goal.words, words)
  if (isPlace && listShownTexts(desired.title ?? desired.text, context).length > 0) return { state: 'holds' }
  const isForm = goal.words.length === 0 ? isNewForm(context) : coversAll(goal.words, formWords)
  if (
    !isForm ||
    !(isNewForm(context) || fields.some(({ text, name }) => text === '' || text === name || isCreateLabel(text)))
  )
    return UNSEEN
  const edits = fields.flatMap(({ node, name, text }): PlannedEdit[] => {
    const matcher = findUniqueMatcher(context.screen.tree, node)
    const label = name === text ? name : `${name} ${text}`.trim()
    if (matcher === undefined) return []
    return [{ kind: 'type', matcher, text: desired.text, label, class: attribute(node, 'class'), replaces: false }]
  })
  return toOpenStatus(...planTexts(desired, edits))
}

/** The last tap opened a form for a new item, or the first screen has one. */
const isNewForm = ({ trail }: ScreenContext): boolean => {
  const last = trail.at(-1)
  return last === undefined || isCreateLabel(last)
}

/** The texts outside of fields that are the text, or a part of which is. */
function listShownTexts(text: string, { screen }: ScreenContext) {
  return screen.nodes.filter((node) => {
    if (isTextField(node)) return false
    const shown = findShownValue(readLabel(node), text)
    return shown === 'equal' || shown === 'part' || shown === 'first_line'
  })
}

function planTexts({ title, text }: TextGoal, edits: readonly PlannedEdit[]): (readonly PlannedEdit[])[] {
  if (title === undefined) return edits.map((edit) => [edit])
  const named = edits.find(({ label }) => TITLE_NAMES.test(label)) ?? edits[0]
  const body = edits.find((edit) => edit !== named)
  if (named?.kind !== 'type' || body?.kind !== 'type') return []
  return [
    [
      { ...named, text: title },
      { ...body, text },
    ],
  ]
}

const TITLE_NAMES =
  /title|name|subject|titel|betreff|titre|nom(?!\p{L})|título|nombre|asunto|titolo|nome|oggetto|assunto|naam|onderwerp/iu
