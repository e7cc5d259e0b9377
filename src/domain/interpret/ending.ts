import type { UiNode } from '../../devices/screen/hierarchy.ts'
import type { Entry } from './entry.ts'
import type { Intent } from './intent.ts'
import type { LearnedInput } from './inputs.ts'
import type { Place } from './matching.ts'
import type { Screen } from './screen.ts'
import { idWords, resourceId } from './words.ts'

/** How a demonstration ended, beside how the same screen stood when it began. */
export interface Ending {
  readonly end: Screen
  /** The same view before anything was done; absent when it was not seen then. */
  readonly start: Screen | undefined
  readonly intents: readonly Intent[]
  readonly inputs: readonly LearnedInput[]
  /** Where a thing of the app itself is, or one inside an entry that an input tells. */
  readonly locate: (node: UiNode, screen: Screen, entry?: Entry) => Place | undefined
}

/** What a part of a row is called; never what it says. */
export function attributeName(node: UiNode): string {
  const id = resourceId(node)
  return idWords(node) || id.slice(id.lastIndexOf('/') + 1).replaceAll('_', ' ') || 'text'
}
