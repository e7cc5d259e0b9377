import type { UiNode } from '../../../screen/hierarchy.ts'
import type { LearnedInput } from '../read/inputs.ts'
import type { Intent } from '../read/intent.ts'
import type { Place } from '../read/matching.ts'
import { formatId, resourceId } from '../read/node-text.ts'
import type { Entry } from '../read/rows.ts'
import type { Screen } from '../read/screen.ts'

/** The last screen of a demonstration, and the same view at its start. */
export interface Ending {
  readonly end: Screen
  /** The first reading of the same view. Absent if there is none. */
  readonly start: Screen | undefined
  readonly intents: readonly Intent[]
  readonly inputs: readonly LearnedInput[]
  /** Finds a selector for a node of the app, or for a node inside a list entry. */
  readonly locate: (node: UiNode, screen: Screen, entry?: Entry) => Place | undefined
}

/** The name of a part of a row, from its id. Its text is data. */
export function nameAttribute(node: UiNode): string {
  const id = resourceId(node)
  return formatId(node) || id.slice(id.lastIndexOf('/') + 1).replaceAll('_', ' ') || 'text'
}
