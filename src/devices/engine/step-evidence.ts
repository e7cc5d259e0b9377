import type { Action, Effect } from '@apprentice/contracts/devices/action.ts'
import { DECLARED_EFFECTS } from '@apprentice/contracts/devices/action.ts'
import type { Point } from '../driver/driver.ts'
import { shownText } from '../../screen/elements.ts'
import { type UiNode, attribute, isTrue } from '../../screen/hierarchy.ts'
import { type NodeSummary, summarizeNode } from '../../screen/matcher.ts'
import type { ScreenReading } from './screen-reading.ts'

/** What a step saw and touched, for those who record and learn. */
export interface StepEvidence {
  /** What decides the effect of the action; known before anything is seen of it. */
  readonly effect: EffectFacts
  /** The screen the step acted on. Always there when the step resolved a target. */
  readonly before?: ScreenReading
  readonly after?: ScreenReading
  /** The node that was asked for. What a password field shows is left out. */
  readonly node?: NodeSummary
  /** The node that took the touch, when it is not the one that was asked for. */
  readonly touched?: NodeSummary
  /** Where the finger went down. */
  readonly point?: Point
  /** The text went into a password field. */
  readonly password?: boolean
  /** Which fallback of the matcher the node was found by, from 1. */
  readonly fallback?: number
}

export interface EffectFacts {
  readonly verb: string
  /** By the definition of the action. */
  readonly schema?: Effect
  /** By the request. */
  readonly handler?: Effect
  readonly submits: boolean
}

/** Evidence in the making. */
export type StepNotes = { -readonly [K in keyof StepEvidence]: StepEvidence[K] }

export function openNotes(action: Action): StepNotes {
  const schema = DECLARED_EFFECTS[action.type]
  const handler = action.expects?.effect
  const effect = {
    verb: action.type,
    ...(schema !== undefined && { schema }),
    ...(handler !== undefined && { handler }),
    submits: action.type === 'enter_text' && action.params.submit,
  }
  return { effect }
}

/** A node without what a password field shows. */
export function describeNode(node: UiNode): NodeSummary {
  return { ...summarizeNode(node), label: shownLabel(node).slice(0, 512) }
}

export function shownLabel(node: UiNode): string {
  const text = shownText(node)
  if (text.trim() !== '') return text
  const description = attribute(node, 'content-desc')
  return description.trim() === '' ? '' : description
}

export function isPassword(node: UiNode): boolean {
  return isTrue(node, 'password')
}
