import type { Action, ActionType } from '@apprentice/contracts/devices/action.ts'
import {
  isControl,
  isNameless,
  isSwept,
  meaningWord,
  plannedTarget,
  type Target,
} from './touch-target.ts'

/** What an action does, as far as can be told from what it touches. */
export type Nature =
  | { readonly kind: 'navigation' }
  | { readonly kind: 'write' | 'destructive' | 'external'; readonly because: string }

const navigation: Nature = { kind: 'navigation' }

export function natureOf(action: Action, seen: Target | undefined): Nature {
  const target = seen ?? plannedTarget(action)
  if (action.type === 'open_uri') return natureOfAddress(action.params.uri)
  if (action.type === 'enter_text') return natureOfTyping(action.params.submit, target)
  if (action.type === 'set_checked' || action.type === 'adjust_until') {
    return worst(target) ?? { kind: 'write', because: 'it changes a setting' }
  }
  if (target === undefined || isSwept(action, target)) return navigation
  if (touching.has(action.type)) return natureOfTouch(target)
  // A finger drawn across a slider moves it.
  return action.type === 'swipe' && isControl(target)
    ? { kind: 'write', because: 'it moves a control' }
    : navigation
}

const touching: ReadonlySet<ActionType> = new Set(['click', 'scroll_and_click', 'scroll_until'])

const natureOfAddress = (uri: string): Nature =>
  /^(?:mailto|tel|sms|smsto|mms|mmsto):/i.test(uri.trim())
    ? { kind: 'external', because: 'the address reaches somebody' }
    : navigation

function natureOfTyping(submits: boolean, target: Target | undefined): Nature {
  if (target !== undefined && isSearch(target)) return navigation
  return submits
    ? { kind: 'external', because: 'what it types is sent off' }
    : { kind: 'write', because: 'it types into a field' }
}

function natureOfTouch(target: Target): Nature {
  const bad = worst(target)
  if (bad !== undefined) return bad
  if (isSearch(target)) return navigation
  if (isControl(target)) return { kind: 'write', because: 'it touches a control' }
  const word = meaningWord('committing', target)
  if (word !== undefined) return { kind: 'write', because: `it says "${word}"` }
  return target.path !== undefined && isNameless(target)
    ? { kind: 'write', because: 'nothing tells what it touches' }
    : navigation
}

function worst(target: Target | undefined): Nature | undefined {
  if (target === undefined) return undefined
  for (const kind of ['destructive', 'external'] as const) {
    const word = meaningWord(kind, target)
    if (word !== undefined) return { kind, because: `it says "${word}"` }
  }
  return undefined
}

const isSearch = (target: Target): boolean => meaningWord('searching', target) !== undefined
