import type { Action, Effect } from '@apprentice/contracts/devices/action.ts'
import { DECLARED_EFFECTS, submitsText } from '@apprentice/contracts/devices/action.ts'
import type { Point } from '../driver/driver.ts'
import { readDisplayedText } from '../../screen/elements.ts'
import { type UiNode, attribute, isTrue } from '../../screen/tree/hierarchy.ts'
import { type NodeSummary, summarizeNode } from '../../screen/matcher.ts'
import type { ScreenReading } from './screen-reading.ts'

/** The screens a step read and the nodes it touched. Used by recordings and learning. */
export interface StepEvidence {
  /** The declared facts that decide the effect of the action. */
  readonly effect: EffectFacts
  /** The screen the step acted on. Always present if the step resolved a target. */
  readonly before?: ScreenReading
  readonly after?: ScreenReading
  /** The target node, without the text of a password field. */
  readonly node?: NodeSummary
  /** The node that received the touch, if it is not the target. */
  readonly touched?: NodeSummary
  /** The touched point, and where a swipe ended. */
  readonly point?: Point
  readonly end?: Point
  /** The text was entered into a password field. */
  readonly password?: boolean
  /** The number of the fallback that matched, from 1. */
  readonly fallback?: number
  /** How many fallbacks found the node. */
  readonly votes?: number
}

export interface EffectFacts {
  readonly verb: string
  /** Declared by the action type. */
  readonly schema?: Effect
  /** Declared by the request. */
  readonly handler?: Effect
  readonly submits: boolean
}

/** Evidence that the current step is collecting. */
export type StepNotes = { -readonly [K in keyof StepEvidence]: StepEvidence[K] }

export function createNotes(action: Action): StepNotes {
  const schema = DECLARED_EFFECTS[action.type]
  const handler = action.expects?.effect
  const effect = {
    verb: action.type,
    ...(schema !== undefined && { schema }),
    ...(handler !== undefined && { handler }),
    submits: submitsText(action),
  }
  return { effect }
}

/** Summarizes a node, without the text of a password field. */
export function describeNode(node: UiNode): NodeSummary {
  return { ...summarizeNode(node), label: readDisplayedLabel(node).slice(0, 512) }
}

export function readDisplayedLabel(node: UiNode): string {
  const text = readDisplayedText(node)
  if (text.trim() !== '') return text
  const description = attribute(node, 'content-desc')
  return description.trim() === '' ? '' : description
}

export function isPassword(node: UiNode): boolean {
  return isTrue(node, 'password')
}
