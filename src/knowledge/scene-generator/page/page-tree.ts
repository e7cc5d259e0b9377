import type { DefaultTreeAdapterTypes } from 'parse5'
import { SCENARIO_LIMITS, toEvidence } from '../source/scenario.ts'
import type { SceneEvidence } from '@apprentice/contracts/scenes/analysis.ts'

export type PageNode = DefaultTreeAdapterTypes.Node
export type PageElement = DefaultTreeAdapterTypes.Element

export const isElement = (node: PageNode): node is PageElement => 'tagName' in node

export const readAttribute = (element: PageElement, name: string): string | undefined =>
  element.attrs.find((one) => one.name === name)?.value

/** The elements below a node in the order of the document. It does not recurse, because pages may be nested deeply. */
export function listElements(root: PageNode): PageElement[] {
  const found: PageElement[] = []
  const open = [root]
  while (open.length > 0 && found.length < SCENARIO_LIMITS.nodes) {
    const node = open.pop()
    if (node === undefined) break
    if (isElement(node)) found.push(node)
    for (const child of listChildren(node).toReversed()) open.push(child)
  }
  return found
}

function listChildren(node: PageNode): readonly PageNode[] {
  const inside = 'content' in node ? node.content.childNodes : []
  return 'childNodes' in node ? [...node.childNodes, ...inside] : inside
}

/** The text of a node with single spaces. */
export function readText(root: PageNode): string {
  const parts: string[] = []
  const open = [root]
  while (open.length > 0) {
    const node = open.pop()
    if (node === undefined) break
    if (node.nodeName === '#text' && 'value' in node) parts.push(node.value)
    for (const child of listChildren(node).toReversed()) open.push(child)
  }
  return parts.join(' ').split(/\s+/).filter(Boolean).join(' ')
}

export const listByTag = (elements: readonly PageElement[], ...tags: readonly string[]): PageElement[] =>
  elements.filter(({ tagName }) => tags.includes(tagName))

/** The line of a node, and its start tag or text. */
export function locate(file: string, node: PageNode, text: string): SceneEvidence {
  return toEvidence(file, node.sourceCodeLocation?.startLine ?? 1, text)
}

/** The start tag of an element as it was read. */
export const describeElement = ({ tagName, attrs }: PageElement): string =>
  `<${[tagName, ...attrs.map(({ name, value }) => `${name}="${value.slice(0, 60)}"`)].join(' ')}>`

/** A selector by id, by name, or by the place among the elements of its tag. */
export function toSelector(element: PageElement, elements: readonly PageElement[]): string {
  const id = readAttribute(element, 'id')
  if (id !== undefined && id !== '') return `[id=${JSON.stringify(id)}]`
  const name = readAttribute(element, 'name')
  if (name !== undefined && name !== '') return `${element.tagName}[name=${JSON.stringify(name)}]`
  const same = listByTag(elements, element.tagName)
  return same.length === 1 ? element.tagName : `${element.tagName}:nth(${same.indexOf(element)})`
}
