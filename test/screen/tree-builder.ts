import { type Hierarchy, parseHierarchy } from '../../src/screen/tree/hierarchy.ts'

/** A node of a test. Missing attributes have the defaults of a plain dump. */
export interface Sketch {
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Sketch[]
}

const PLAIN: Readonly<Record<string, string>> = {
  index: '0',
  text: '',
  'resource-id': '',
  class: 'android.view.View',
  package: 'com.example',
  'content-desc': '',
  checkable: 'false',
  checked: 'false',
  clickable: 'false',
  enabled: 'true',
  focusable: 'false',
  focused: 'false',
  scrollable: 'false',
  'long-clickable': 'false',
  password: 'false',
  selected: 'false',
  bounds: '[0,0][1080,2200]',
}

export function node(attributes: Readonly<Record<string, string>> = {}, ...children: readonly Sketch[]): Sketch {
  return {
    attributes: { ...PLAIN, ...attributes },
    children: children.map((child, index) => ({
      ...child,
      attributes: { ...child.attributes, index: String(index) },
    })),
  }
}

export function text(label: string, more: Readonly<Record<string, string>> = {}): Sketch {
  return node({ class: 'android.widget.TextView', text: label, ...more })
}

/** Prints a sketch, independently of the printer under test. */
export function printDump(...roots: readonly Sketch[]): string {
  const body = roots.map(print).join('')
  return `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">${body}</hierarchy>`
}

export function screen(...roots: readonly Sketch[]): Hierarchy {
  const read = parseHierarchy(printDump(...roots))
  if (!read.ok) throw new Error(`${read.fault}: ${read.message}`)
  return read.hierarchy
}

export function hexEscaped(value: string): string {
  return Array.from(value, (letter) =>
    /[a-z0-9 .,:;/_[\]()-]/i.test(letter) ? letter : `&#x${letter.codePointAt(0)?.toString(16)};`,
  ).join('')
}

function print({ attributes, children }: Sketch): string {
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}="${hexEscaped(value)}"`)
  return `<node ${pairs.join(' ')}>${children.map(print).join('')}</node>`
}
