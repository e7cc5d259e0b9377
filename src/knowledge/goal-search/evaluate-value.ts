import { attribute, isTrue } from '../../screen/tree/hierarchy.ts'
import { readLabel } from '../../screen/tree/roles.ts'
import { isNear, parseDisplayedNumber } from '../../screen/displayed-number.ts'
import { showsValue } from '../../screen/shown-value/shown-value.ts'
import { type Choice, listChoices } from './controls/choices.ts'
import { type Field, listFields } from './controls/fields.ts'
import { listNumberControls } from './controls/number-controls.ts'
import { evaluateParts } from './evaluate-parts.ts'
import type { SubGoal } from './goal/goal.ts'
import { coversAll, listCovered, splitWords } from './goal/words.ts'
import { type GoalStatus, toOpenStatus, UNSEEN } from './goal-status.ts'
import { planNumber } from './plan-number.ts'
import { findSubject, type ScreenContext } from './screen-context.ts'
import { findUniqueMatcher } from './unique-matcher.ts'
import { isUnitFitting, readWanted, showsWanted, type WantedValue } from './wanted-value.ts'

/** Looks for a control of the goal's value: a choice, parts of a time or date, a number, a text field. */
export function evaluateValue(goal: SubGoal, text: string | undefined, context: ScreenContext): GoalStatus {
  if (text === undefined) return evaluateNamedChoice(goal, context)
  const wanted = readWanted(text)
  for (const evaluate of [evaluateChoice, evaluateParts, evaluateNumber, evaluateField]) {
    const status = evaluate(goal, wanted, context)
    if (status.state !== 'unseen') return status
  }
  return UNSEEN
}

/** A choice whose label is among the words of the goal. The other words name what is chosen. */
function evaluateNamedChoice(goal: SubGoal, context: ScreenContext): GoalStatus {
  const options = listChoices(context.screen)
    .map((choice) => ({ choice, words: splitWords(choice.option) }))
    .filter(({ words }) => coversAll(words, goal.words))
  const most = Math.max(...options.map(({ words }) => words.length))
  const [best, ...others] = options.filter(({ words }) => words.length === most)
  if (best === undefined || others.length > 0) return UNSEEN
  const { choice, words } = best
  const rest = goal.words.filter((word) => listCovered([word], words).length === 0)
  const named = rest.length === 0 || findSubject({ words: rest, hints: goal.hints }, context, [choice]) !== undefined
  return named ? toChoiceStatus(choice, context) : UNSEEN
}

function evaluateChoice(goal: SubGoal, wanted: WantedValue, context: ScreenContext): GoalStatus {
  const choices = listChoices(context.screen).filter(({ option }) => showsWanted(option, wanted))
  const match = findSubject(goal, context, choices)
  return match === undefined ? UNSEEN : toChoiceStatus(match, context)
}

function toChoiceStatus({ node, chosen, option }: Choice, { screen }: ScreenContext): GoalStatus {
  if (chosen) return { state: 'holds' }
  const matcher = findUniqueMatcher(screen.tree, node)
  if (matcher === undefined || !isTrue(node, 'enabled')) return UNSEEN
  return toOpenStatus([{ kind: 'choose', matcher, label: option, class: attribute(node, 'class') }])
}

function evaluateNumber(goal: SubGoal, wanted: WantedValue, context: ScreenContext): GoalStatus {
  const { number, unit } = wanted
  if (number === undefined) return evaluateWordWheel(goal, wanted, context)
  const controls = listNumberControls(context.screen).filter(
    ({ shown }) => parseDisplayedNumber(shown) !== undefined && isUnitFitting(shown, unit),
  )
  const match = findSubject(goal, context, controls)
  if (match === undefined) return UNSEEN
  const read = parseDisplayedNumber(match.shown)
  if (read !== undefined && isNear(read, number)) return { state: 'holds' }
  return toOpenStatus(...planNumber(match, number, { screen: context.screen, label: goal.subject }))
}

/** A wheel of words, such as months. */
function evaluateWordWheel(goal: SubGoal, { text, time, date }: WantedValue, context: ScreenContext): GoalStatus {
  if (time !== undefined || date !== undefined) return UNSEEN
  const wheels = listNumberControls(context.screen).filter(({ kind }) => kind === 'wheel')
  const match = findSubject(goal, context, wheels)
  if (match === undefined) return UNSEEN
  if (showsValue(match.shown, text)) return { state: 'holds' }
  return toOpenStatus(...planNumber(match, [text], { screen: context.screen, label: goal.subject }))
}

function evaluateField(goal: SubGoal, wanted: WantedValue, context: ScreenContext): GoalStatus {
  const fields = listFields(context.screen)
  const match = findSubject(goal, context, fields)
  if (match === undefined) return UNSEEN
  if (showsWanted(match.text, wanted)) return { state: 'holds' }
  const matcher = findUniqueMatcher(context.screen.tree, match.node)
  if (matcher === undefined) return UNSEEN
  return toOpenStatus([{ kind: 'type', matcher, ...toTyped(match, wanted), replaces: true }])
}

/** A number is typed without its unit, a time in the form that the field shows. */
function toTyped({ name, node, text: shown }: Field, { text, number, time }: WantedValue) {
  const base = { label: name === '' ? readLabel(node) : name, class: attribute(node, 'class') }
  if (time !== undefined && /\p{Nd}{2}:\p{Nd}{2}/u.test(shown)) {
    return { ...base, text: `${String(time.hour).padStart(2, '0')}:${String(time.minute).padStart(2, '0')}` }
  }
  const digits = number === undefined ? undefined : /[+-]?[\p{Nd}.,]+/u.exec(text)?.[0]
  return { ...base, text: digits ?? text }
}
