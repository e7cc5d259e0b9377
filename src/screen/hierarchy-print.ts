import { type Hierarchy, type UiNode, isTrue } from './tree/hierarchy.ts'

const DECLARATION = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"

/**
 * Prints a tree as a dump: same nodes, same attributes in the same order, without the text of password fields.
 * Everything that is stored goes through this function.
 */
export function printWithoutPasswords(hierarchy: Hierarchy, rename: (text: string) => string = (text) => text): string {
  return print(hierarchy, (node) => {
    const { text, 'content-desc': description } = node.attributes
    const printText = (value: string) => (isTrue(node, 'password') ? '' : rename(value))
    return {
      ...node.attributes,
      ...(text === undefined ? {} : { text: printText(text) }),
      ...(description === undefined ? {} : { 'content-desc': rename(description) }),
    }
  })
}

type Attributes = Readonly<Record<string, string>>

function print(hierarchy: Hierarchy, selectAttributes: (node: UiNode) => Attributes): string {
  const pieces = [DECLARATION, '<hierarchy', printAttributes(hierarchy.attributes), '>']
  for (const root of hierarchy.roots) printNode(root, selectAttributes, pieces)
  pieces.push('</hierarchy>')
  return pieces.join('')
}

function printNode(node: UiNode, selectAttributes: (node: UiNode) => Attributes, pieces: string[]): void {
  pieces.push('<node', printAttributes(selectAttributes(node)))
  if (node.children.length === 0) {
    pieces.push(' />')
    return
  }
  pieces.push('>')
  for (const child of node.children) printNode(child, selectAttributes, pieces)
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
  // XML parsers convert raw ones to spaces.
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
}

function escapeValue(value: string): string {
  return value.replace(/[&<>"'\n\r\t]/g, (character) => ESCAPES[character] ?? character)
}
