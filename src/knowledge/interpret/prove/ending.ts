import type { UiNode } from '../../../screen/hierarchy.ts'
import type { Entry } from '../read/entry.ts'
import type { Intent } from '../align/intent.ts'
import type { LearnedInput } from '../read/inputs.ts'
import type { Place } from '../read/matching.ts'
import type { Screen } from '../read/screen.ts'
import { idWords, resourceId } from '../read/words.ts'

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
