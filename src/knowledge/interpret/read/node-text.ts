import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { readLabel } from '../../../screen/tree/roles.ts'
import { toLatin } from '../../text/latin.ts'
import { isTextField } from './screen.ts'

/** The label of a node. The content of a text field is not its label. */
export function readOwnText(node: UiNode): string {
  if (isTrue(node, 'password')) return ''
  const text = isTextField(node) ? '' : attribute(node, 'text').trim()
  const description = attribute(node, 'content-desc').trim()
  const isSymbol = !/[\p{L}\p{N}]/u.test(text)
  return isSymbol && description !== '' ? description : text
}

/** The text of a node, including the content of a text field. Empty for passwords. */
export function readText(node: UiNode): string {
  return isTrue(node, 'password') ? '' : readLabel(node).trim()
}

/** The nodes of a row that have a text, in document order. */
export function listTextNodes(row: UiNode): UiNode[] {
  return [...subtree(row)].filter((node) => readText(node) !== '')
}

export function resourceId(node: UiNode): string {
  return attribute(node, 'resource-id')
}

/** Ids of the framework, such as `android:id/title`, occur in every app. */
export function isFrameworkId(id: string): boolean {
  return id.startsWith('android:id/')
}

/** `com.app:id/new_note` gives "new note". An id of the framework gives nothing. */
export function formatId(node: UiNode): string {
  const id = resourceId(node)
  if (id === '' || isFrameworkId(id)) return ''
  return id
    .slice(id.lastIndexOf('/') + 1)
    .replaceAll(/([a-z\d])(?=[A-Z])/g, '$1 ')
    .replaceAll(/[_.\-\s]+/g, ' ')
    .trim()
    .toLowerCase()
}

/** Formats a text as an input name: lower-case words joined by underscores. Empty if its script has no Latin spelling. */
export function toSlug(text: string): string {
  return toLatin(text)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[_\d]+/, '')
    .slice(0, 40)
    .replace(/(?<!_)_+$/, '')
}

/** The singular of an English noun. A word that has none stays as it is. */
export function toSingular(word: string): string {
  if (/(?:ss|us|is)$/.test(word) || SAME_IN_BOTH.has(word)) return word
  if (word.endsWith('ies')) return ENDING_IN_IE.has(word) ? word.slice(0, -1) : word.replace(/ies$/, 'y')
  if (/(?:ches|shes|xes|sses)$/.test(word)) return word.replace(/es$/, '')
  return word.replace(/s$/, '')
}

const SAME_IN_BOTH: ReadonlySet<string> = new Set(
  'series species news means lens gas canvas atlas headquarters premises works sales goods clothes contents'.split(' '),
)
const ENDING_IN_IE: ReadonlySet<string> = new Set(
  'movies cookies calories selfies brownies smoothies pies ties lies hoodies zombies rookies genies birdies'.split(' '),
)

/** An input name with spaces instead of underscores. */
export const formatName = (name: string): string => name.replaceAll('_', ' ')
