import type { Action, ActionType, Direction } from '@apprentice/contracts/devices/action.ts'
import {
  isControl,
  hasNoText,
  isScrollTarget,
  findMeaningWord,
  readPlannedTarget,
  type TouchTarget,
} from './touch-target.ts'

/** The effect of an action, judged by its type and target. */
export type ActionClass =
  | { readonly kind: 'navigation' }
  | { readonly kind: 'write' | 'destructive' | 'external'; readonly because: string }

const NAVIGATION: ActionClass = { kind: 'navigation' }

export function classifyAction(action: Action, found: TouchTarget | undefined): ActionClass {
  const target = found ?? readPlannedTarget(action)
  if (action.type === 'open_uri') return classifyUri(action.params.uri)
  if (action.type === 'enter_text') return classifyTyping(action.params.submit, target)
  if (action.type === 'press_edit_key') return classifyTyping(action.params.key === 'enter', target)
  if (SETTING_TYPES.has(action.type)) {
    return findHarm(target) ?? { kind: 'write', because: 'it changes a setting' }
  }
  if (target === undefined || isScrollTarget(action, target)) return NAVIGATION
  if (TOUCH_TYPES.has(action.type)) return classifyTouch(target)
  if (action.type === 'swipe' && action.params.matcher !== undefined) return classifyEntrySwipe(action.params.direction)
  // Swiping across a slider moves it.
  return action.type === 'swipe' && isControl(target) ? { kind: 'write', because: 'it moves a control' } : NAVIGATION
}

const SETTING_TYPES: ReadonlySet<ActionType> = new Set(['set_checked', 'adjust_until', 'pick_date'])
const TOUCH_TYPES: ReadonlySet<ActionType> = new Set(['click', 'scroll_and_click', 'scroll_until'])

const classifyUri = (uri: string): ActionClass =>
  /^(?:mailto|tel|sms|smsto|mms|mmsto):/i.test(uri.trim())
    ? { kind: 'external', because: 'the URI contacts another person' }
    : NAVIGATION

/** A list entry that is swiped sideways is often removed. */
const classifyEntrySwipe = (direction: Direction | undefined): ActionClass =>
  direction === 'left' || direction === 'right'
    ? { kind: 'destructive', because: 'it swipes a list entry, which may remove it' }
    : { kind: 'write', because: 'it moves something' }

function classifyTyping(submits: boolean, target: TouchTarget | undefined): ActionClass {
  if (target !== undefined && isSearchTarget(target)) return NAVIGATION
  return submits
    ? { kind: 'external', because: 'it submits the typed text' }
    : { kind: 'write', because: 'it types into a field' }
}

function classifyTouch(target: TouchTarget): ActionClass {
  const harm = findHarm(target)
  if (harm !== undefined) return harm
  if (isSearchTarget(target)) return NAVIGATION
  if (isControl(target)) return { kind: 'write', because: 'it touches a control' }
  const word = findMeaningWord('committing', target)
  if (word !== undefined) return { kind: 'write', because: `its target says "${word}"` }
  return target.path !== undefined && hasNoText(target)
    ? { kind: 'write', because: 'its target has no text' }
    : NAVIGATION
}

function findHarm(target: TouchTarget | undefined): ActionClass | undefined {
  if (target === undefined) return undefined
  for (const kind of ['destructive', 'external'] as const) {
    const word = findMeaningWord(kind, target)
    if (word !== undefined) return { kind, because: `its target says "${word}"` }
  }
  return undefined
}

const isSearchTarget = (target: TouchTarget): boolean => findMeaningWord('searching', target) !== undefined
