import { attribute, isTrue, subtree, type UiNode } from '../../../screen/hierarchy.ts'
import { labelOf } from '../../../screen/roles.ts'
import { isTextField } from './screen.ts'

/** What a node says of itself; never what somebody typed into it. */
export function ownWords(node: UiNode): string {
  if (isTrue(node, 'password')) return ''
  const text = isTextField(node) ? '' : attribute(node, 'text').trim()
  const description = attribute(node, 'content-desc').trim()
  const isSign = !/[\p{L}\p{N}]/u.test(text)
  return isSign && description !== '' ? description : text
}

/** What stands on a node, a field's content included. */
export function shownWords(node: UiNode): string {
  return isTrue(node, 'password') ? '' : labelOf(node).trim()
}

/** The nodes of a row that say something, in reading order. */
export function speakingNodes(row: UiNode): UiNode[] {
  return [...subtree(row)].filter((node) => shownWords(node) !== '')
}

export function resourceId(node: UiNode): string {
  return attribute(node, 'resource-id')
}

/** Given by the framework to whoever asks: `android:id/title` names nothing of the app's own. */
export function isFrameworkId(id: string): boolean {
  return id.startsWith('android:id/')
}

/** `com.app:id/new_note` says "new note"; ids of the framework say nothing. */
export function idWords(node: UiNode): string {
  const id = resourceId(node)
  if (id === '' || isFrameworkId(id)) return ''
  return id
    .slice(id.lastIndexOf('/') + 1)
    .replaceAll(/([a-z\d])(?=[A-Z])/g, '$1 ')
    .replaceAll(/[_.\-\s]+/g, ' ')
    .trim()
    .toLowerCase()
}

/** A name of an input: lower-case words joined by lines. Empty when nothing is left. */
export function slug(words: string): string {
  return words
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[_\d]+/, '')
    .slice(0, 40)
    .replace(/_+$/, '')
}

export function singular(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies')) return word.replace(/ies$/, 'y')
  if (/(?:ches|shes|xes|sses)$/.test(word)) return word.replace(/es$/, '')
  return word.replace(/s$/, '')
}

/** A name as it is said. */
export const spoken = (name: string): string => name.replaceAll('_', ' ')
