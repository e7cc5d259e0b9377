import { type Hierarchy, type UiNode, isTrue } from './hierarchy.ts'

const DECLARATION = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"

/**
 * Writes a tree back in the shape of a dump: same nodes, same attributes in the same order, with whatever a password
 * field shows left out. For everything that is stored.
 */
export function printWithoutPasswords(
  hierarchy: Hierarchy,
  rename: (text: string) => string = (text) => text,
): string {
  return print(hierarchy, (node) => {
    const { text, 'content-desc': description } = node.attributes
    const shown = (one: string) => (isTrue(node, 'password') ? '' : rename(one))
    return {
      ...node.attributes,
      ...(text === undefined ? {} : { text: shown(text) }),
      ...(description === undefined ? {} : { 'content-desc': rename(description) }),
    }
  })
}

type Attributes = Readonly<Record<string, string>>

function print(hierarchy: Hierarchy, attributesOf: (node: UiNode) => Attributes): string {
  const pieces = [DECLARATION, '<hierarchy', printAttributes(hierarchy.attributes), '>']
  for (const root of hierarchy.roots) printNode(root, attributesOf, pieces)
  pieces.push('</hierarchy>')
  return pieces.join('')
}

function printNode(
  node: UiNode,
  attributesOf: (node: UiNode) => Attributes,
  pieces: string[],
): void {
  pieces.push('<node', printAttributes(attributesOf(node)))
  if (node.children.length === 0) {
    pieces.push(' />')
    return
  }
  pieces.push('>')
  for (const child of node.children) printNode(child, attributesOf, pieces)
  pieces.push('</node>')
}

function printAttributes(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeValue(value)}"`)
    .join('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // Written raw, a reader would turn them into spaces.
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
}

function escapeValue(value: string): string {
  return value.replace(/[&<>"'\n\r\t]/g, (character) => ESCAPES[character] ?? character)
}
