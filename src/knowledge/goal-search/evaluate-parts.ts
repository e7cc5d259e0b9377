import { attribute, isTrue, type UiNode } from '../../screen/tree/hierarchy.ts'
import { readLabel } from '../../screen/tree/roles.ts'
import { parseDisplayedNumber } from '../../screen/displayed-number.ts'
import { readCalendarNames } from '../../screen/shown-value/calendar-names.ts'
import { findShownValue } from '../../screen/shown-value/shown-value.ts'
import { readHalf } from '../../screen/shown-value/times.ts'
import { isTextField, type Screen } from '../interpret/read/screen.ts'
import { listChoices } from './controls/choices.ts'
import { listFields } from './controls/fields.ts'
import { listNumberControls, type NumberControl } from './controls/number-controls.ts'
import type { SubGoal } from './goal/goal.ts'
import { coversAll, splitWords } from './goal/words.ts'
import { type GoalStatus, toOpenStatus, UNSEEN } from './goal-status.ts'
import { planNumber } from './plan-number.ts'
import type { PlannedEdit, StepEdit } from './planned-edit.ts'
import { listContextWords, type ScreenContext } from './screen-context.ts'
import { findUniqueMatcher, findUniqueValueMatcher } from './unique-matcher.ts'
import type { WantedValue } from './wanted-value.ts'

/** Looks for pickers that show a time or a date in parts: hour and minute, day and month, a calendar. */
export function evaluateParts(goal: SubGoal, wanted: WantedValue, context: ScreenContext): GoalStatus {
  if (wanted.time === undefined && wanted.date === undefined) return UNSEEN
  const { screen } = context
  const words = [
    ...listContextWords(context),
    ...screen.nodes.flatMap((node) => splitWords(isTextField(node) ? '' : readLabel(node))),
  ]
  if (!coversAll(goal.words, words)) return UNSEEN
  const day = wanted.date === undefined ? undefined : findCalendarDay(screen, wanted)
  if (day !== undefined) return toDayStatus(screen, day)
  const parts = listParts(screen)
  const found = wanted.time === undefined ? toDateEdits(screen, parts, wanted) : toTimeEdits(screen, parts, wanted)
  if (found === undefined) return UNSEEN
  return found.length === 0 ? { state: 'holds' } : toOpenStatus(found)
}

/** A control for one part, with its value as it is shown. */
interface Part {
  readonly name: string
  readonly shown: string
  readonly left: number
  readonly top: number
  readonly plan: (target: StepEdit['target']) => readonly PlannedEdit[] | undefined
}

function listParts(screen: Screen): Part[] {
  const controls = listNumberControls(screen).filter(({ kind }) => kind !== 'slider')
  const taken = new Set(controls.map(({ value }) => value))
  const fields = listFields(screen).filter(({ node, text }) => !taken.has(node) && /^\p{Nd}{0,4}$/u.test(text.trim()))
  return [
    ...controls.map((control) => toPart(screen, control)),
    ...fields.map(({ node, name, text }) => {
      const matcher = findUniqueValueMatcher(screen.tree, node)
      const base = { kind: 'type' as const, label: name, class: attribute(node, 'class'), replaces: true }
      return {
        name,
        shown: text,
        ...readPlace(node),
        plan: (target: StepEdit['target']) =>
          matcher && [{ ...base, matcher, text: String(target).padStart(text.trim().length, '0') }],
      }
    }),
  ].toSorted((a, b) => a.left - b.left)
}

const toPart = (screen: Screen, control: NumberControl): Part => ({
  name: `${control.name} ${attribute(control.value, 'content-desc')} ${attribute(control.value.parent ?? control.value, 'content-desc')}`,
  shown: control.shown,
  ...readPlace(control.value),
  plan: (target) => planNumber(control, target, { screen, label: control.name || control.shown })[0],
})

const readPlace = ({ bounds }: UiNode) => ({ left: bounds?.left ?? 0, top: bounds?.top ?? 0 })

const PART_NAMES = {
  hour: /hour|stunde|heure|hora|(?<!\p{L})ora(?!\p{L})|(?<!\p{L})ore(?!\p{L})|uur|uren/iu,
  minute: /minut/iu,
  day: /(?<!\p{L})(?:day|tag|jour|día|dia|giorno|dag)/iu,
  month: /month|monat|mois|mes(?!\p{L})|mese|mês|maand/iu,
  year: /year|jahr|année|an(?!\p{L})|año|anno|ano(?!\p{L})|jaar/iu,
}

/** Named parts, or as many as are wanted side by side. Undefined if there are none. */
function pickParts<T extends keyof typeof PART_NAMES>(
  parts: readonly Part[],
  names: readonly T[],
): Record<T, Part> | undefined {
  const named = names.map((name) => parts.find((part) => PART_NAMES[name].test(part.name)))
  const inLine = parts.filter(({ top }) => Math.abs(top - (parts[0]?.top ?? 0)) < SAME_LINE)
  const chosen = named.every((part) => part !== undefined) ? named : inLine.length === names.length ? inLine : undefined
  if (chosen === undefined || names.length === 0) return undefined
  return Object.fromEntries(names.map((name, at) => [name, chosen[at]])) as Record<T, Part>
}

const SAME_LINE = 60

function toTimeEdits(screen: Screen, parts: readonly Part[], { time }: WantedValue): PlannedEdit[] | undefined {
  const numbers = parts.filter(({ shown }) => readHalf(shown) === undefined)
  const picked = pickParts(numbers, ['hour', 'minute'])
  if (picked === undefined || time === undefined || !isTimePicker(screen, picked)) return undefined
  const half = planHalf(screen, parts, time.hour < 12 ? 'am' : 'pm')
  const hour = half === undefined ? time.hour : time.hour % 12 || 12
  return joinPlans([planPart(picked.hour, hour), planPart(picked.minute, time.minute), half ?? []])
}

/** Two numbers side by side are a time if something says so: a name, a colon between them, the class of the picker. */
function isTimePicker({ nodes }: Screen, { hour, minute }: Record<'hour' | 'minute', Part>): boolean {
  if (PART_NAMES.hour.test(hour.name) && PART_NAMES.minute.test(minute.name)) return true
  return nodes.some((node) => readLabel(node).trim() === ':' || /TimePicker/u.test(attribute(node, 'class')))
}

/** The edits that set the half of the day; undefined if the picker has none. */
function planHalf(screen: Screen, parts: readonly Part[], half: 'am' | 'pm'): readonly PlannedEdit[] | undefined {
  const wheel = parts.find(({ shown }) => readHalf(shown) !== undefined)
  if (wheel !== undefined) return readHalf(wheel.shown) === half ? [] : wheel.plan([half])
  const choices = listChoices(screen).filter(({ option }) => readHalf(option) !== undefined)
  const wanted = choices.find(({ option }) => readHalf(option) === half)
  if (wanted === undefined) return undefined
  const matcher = wanted.chosen ? undefined : findUniqueMatcher(screen.tree, wanted.node)
  return matcher === undefined
    ? []
    : [{ kind: 'choose', matcher, label: wanted.option, class: attribute(wanted.node, 'class') }]
}

function toDateEdits(screen: Screen, parts: readonly Part[], { date }: WantedValue): PlannedEdit[] | undefined {
  if (date === undefined) return undefined
  const names = date.year === undefined ? (['day', 'month'] as const) : (['day', 'month', 'year'] as const)
  const named = names.every((name) => parts.some((part) => PART_NAMES[name].test(part.name)))
  const isDate = named || screen.nodes.some((node) => /DatePicker/u.test(attribute(node, 'class')))
  const picked = isDate ? pickParts(parts, names) : undefined
  if (picked === undefined) return undefined
  const month = /\p{L}/u.test(picked.month.shown)
    ? planMonthName(picked.month, date.month)
    : planPart(picked.month, date.month)
  const year = date.year === undefined ? [] : planPart(picked['year' as 'day'], date.year)
  return joinPlans([planPart(picked.day, date.day), month, year])
}

/** The language of the picker is not known, so the month may be shown by any of its names. */
function planMonthName(part: Part, month: number): readonly PlannedEdit[] | undefined {
  const names = [...readCalendarNames().months].filter(([, numbers]) => numbers.has(month)).map(([name]) => name)
  const shown = part.shown.trim().toLowerCase().replace(/\.$/u, '')
  return names.includes(shown) ? [] : part.plan(names)
}

const planPart = (part: Part, target: number): readonly PlannedEdit[] | undefined =>
  parseDisplayedNumber(part.shown) === target ? [] : part.plan(target)

const joinPlans = (plans: readonly (readonly PlannedEdit[] | undefined)[]): PlannedEdit[] | undefined =>
  plans.some((plan) => plan === undefined) ? undefined : plans.flatMap((plan) => plan ?? [])

/** The day of a calendar: its description is the date, or its number under the name of the month. */
function findCalendarDay({ nodes }: Screen, { text, date }: WantedValue): UiNode | undefined {
  const days = nodes.filter((node) => isTrue(node, 'clickable') && isTrue(node, 'enabled') && readLabel(node) !== '')
  const dated = days.filter((node) =>
    [attribute(node, 'text'), attribute(node, 'content-desc')].some((label) => DATED.has(findShownValue(label, text))),
  )
  if (dated.length > 0) return dated.length === 1 ? dated[0] : undefined
  const { months } = readCalendarNames()
  const isMonth = nodes.some((node) => {
    const words = readLabel(node)
      .toLowerCase()
      .split(/[^\p{L}\p{Nd}]+/u)
    const names = words.flatMap((word) => [...(months.get(word) ?? [])])
    return (
      words.length <= 3 &&
      names.includes(date?.month ?? 0) &&
      (date?.year === undefined || words.includes(String(date.year)))
    )
  })
  const numbered = days.filter((node) => readLabel(node).trim() === String(date?.day))
  return isMonth && days.length >= MIN_CALENDAR_DAYS && numbered.length === 1 ? numbered[0] : undefined
}

const MIN_CALENDAR_DAYS = 20
const DATED: ReadonlySet<string | undefined> = new Set(['equal', 'part', 'date'])

function toDayStatus({ tree }: Screen, day: UiNode): GoalStatus {
  if (isTrue(day, 'checked') || isTrue(day, 'selected')) return { state: 'holds' }
  const matcher = findUniqueMatcher(tree, day)
  if (matcher === undefined) return UNSEEN
  return toOpenStatus([{ kind: 'choose', matcher, label: readLabel(day), class: attribute(day, 'class') }])
}
