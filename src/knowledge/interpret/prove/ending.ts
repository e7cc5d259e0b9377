import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import type { LearnedInput } from '../read/inputs.ts'
import type { Intent } from '../read/intent.ts'
import type { ExampleValues, Place } from '../read/matching.ts'
import { formatId } from '../read/node-text.ts'
import type { Entry } from '../read/rows.ts'
import type { Screen } from '../read/screen.ts'

/** The last screen of a demonstration, and the screens before the last action. */
export interface Ending {
  readonly end: Screen
  /** All screens before the last action, in order. */
  readonly earlier: readonly Screen[]
  readonly intents: readonly Intent[]
  readonly inputs: readonly LearnedInput[]
  /** The value of each input in the demonstration, except secrets. */
  readonly examples: ExampleValues
  /** Finds a selector for a node of the app, or for a node inside a list entry. */
  readonly locate: (node: UiNode, screen: Screen, entry?: Entry) => Place | undefined
  /** All ways to find a node of the app, most reliable first. */
  readonly listPlaces: (node: UiNode, screen: Screen) => readonly Place[]
  /** Returns the text if it belongs to the app, otherwise an empty string. */
  readonly keepText: (text: string) => string
  /** Whether a text may be the name of a person. */
  readonly isPersonal: (text: string) => boolean
}

/** The name of a part of a row or a page, from its id. Its text is data. */
export function nameAttribute(node: UiNode, otherwise = 'screen'): string {
  return formatId(node) || otherwise
}
