import { parseHierarchy } from '../../src/screen/tree/hierarchy.ts'
import { parseScreen, type Screen } from '../../src/knowledge/interpret/read/screen.ts'

/** A node of a test screen. Bounds are `[left, top, right, bottom]`. */
export interface TestNode {
  readonly class?: string
  readonly text?: string
  readonly desc?: string
  readonly hint?: string
  readonly id?: string
  readonly at: readonly [number, number, number, number]
  /** `clickable checkable checked selected scrollable` */
  readonly is?: string
  readonly in?: readonly TestNode[]
}

const FLAGS = ['clickable', 'checkable', 'checked', 'selected', 'scrollable', 'password', 'focusable']

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('\n', '&#10;')

function format(node: TestNode): string {
  const flags = FLAGS.map((flag) => `${flag}="${(node.is ?? '').split(' ').includes(flag)}"`).join(' ')
  const [left, top, right, bottom] = node.at
  const type = node.class ?? 'android.view.View'
  const hint = node.hint === undefined ? '' : `hint="${escape(node.hint)}"`
  return (
    `<node index="0" text="${escape(node.text ?? '')}" resource-id="${node.id ?? ''}" class="${type}" package="p" ` +
    `content-desc="${escape(node.desc ?? '')}" enabled="true" ${flags} ${hint} ` +
    `bounds="[${left},${top}][${right},${bottom}]">${(node.in ?? []).map(format).join('')}</node>`
  )
}

/** A full screen with these nodes under a root. */
export function buildScreen(...nodes: readonly TestNode[]): Screen {
  const root: TestNode = { class: 'android.widget.FrameLayout', at: [0, 0, 1080, 2000], in: nodes }
  const parsed = parseHierarchy(`<hierarchy rotation="0">${format(root)}</hierarchy>`)
  if (!parsed.ok) throw new Error(parsed.message)
  return parseScreen(parsed.hierarchy, undefined)
}

export const label = (text: string, at: TestNode['at']): TestNode => ({ class: 'android.widget.TextView', text, at })
