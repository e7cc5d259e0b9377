import type { UiNode } from '../../../src/screen/tree/hierarchy.ts'
import { collectOnScreenNodes, findWindow } from '../../../src/screen/matcher.ts'
import { readLabel } from '../../../src/screen/tree/roles.ts'
import { type Sketch, node, screen, text } from '../tree-builder.ts'

/** Screens in the styles of the toolkits, written for the tests. */

export function show(...roots: readonly Sketch[]): UiNode[] {
  const hierarchy = screen(...roots)
  return collectOnScreenNodes(hierarchy.roots, findWindow(hierarchy))
}

/** The first visible node with a label. */
export function findLabelled(visible: readonly UiNode[], label: string): UiNode {
  const found = visible.find((one) => readLabel(one) === label)
  if (found === undefined) throw new Error(`no node is labelled ${label}`)
  return found
}

export const at = (left: number, top: number, right: number, bottom: number) => ({
  bounds: `[${left},${top}][${right},${bottom}]`,
})
export const TOUCH = { clickable: 'true', focusable: 'true' }
export const box = (attributes: Readonly<Record<string, string>>, ...children: readonly Sketch[]) =>
  node({ class: 'android.view.ViewGroup', ...attributes }, ...children)
const icon = (description: string, place: Readonly<Record<string, string>>) =>
  node({ 'content-desc': description, ...place })

export interface Message {
  readonly sender: string
  readonly subject: string
  readonly time: string
}

export const MESSAGES: readonly Message[] = [
  { sender: 'Ada Byron', subject: 'Lunch on Friday', time: '9:41' },
  { sender: 'Grace Hopper', subject: 'Lunch on Friday', time: '8:02' },
  { sender: 'Alan Turing', subject: 'Draft of the paper', time: '7:15' },
  { sender: 'Mary Jackson', subject: 'Wind tunnel', time: '7:15' },
]

const TOP = 300
const HEIGHT = 180
const place = (index: number) => TOP + index * (HEIGHT + 10)

/** A classic list: a known class, ids, a star in each row. */
export function drawViewRows(messages: readonly Message[] = MESSAGES): Sketch {
  const rows = messages.map(({ sender, subject, time }, index) => {
    const top = place(index)
    return node(
      { class: 'android.widget.LinearLayout', ...TOUCH, ...at(0, top, 1080, top + HEIGHT) },
      node({ class: 'android.widget.ImageView', ...at(20, top + 20, 140, top + 140) }),
      text(sender, { 'resource-id': 'a:id/sender', ...at(160, top + 20, 700, top + 80) }),
      text(time, { 'resource-id': 'a:id/time', ...at(800, top + 20, 940, top + 80) }),
      text(subject, { 'resource-id': 'a:id/subject', ...at(160, top + 90, 900, top + 150) }),
      node({
        class: 'android.widget.CheckBox',
        'content-desc': 'Star',
        checkable: 'true',
        ...TOUCH,
        ...at(960, top + 40, 1060, top + 140),
      }),
    )
  })
  const list = { class: 'androidx.recyclerview.widget.RecyclerView', scrollable: 'true', ...at(0, TOP, 1080, 2000) }
  return node(list, ...rows)
}

/** No ids and no list class. Icons repeat the first text, buttons are marked by an empty leaf. */
export function drawComposeRows(messages: readonly Message[] = MESSAGES): Sketch {
  const rows = messages.map(({ sender, subject, time }, index) => {
    const top = place(index)
    return node(
      { ...TOUCH, ...at(40, top, 1040, top + HEIGHT) },
      node(at(40, top, 200, top + HEIGHT), icon(sender, at(60, top + 20, 180, top + 140))),
      text(sender, at(220, top + 10, 700, top + 70)),
      text(subject, at(220, top + 80, 700, top + 140)),
      text(time, at(900, top + 40, 1030, top + 100)),
    )
  })
  return node({ scrollable: 'true', ...at(0, TOP, 1080, 2000) }, ...rows)
}

/** Boxes in boxes. The description of a row joins its texts. */
export function drawReactNativeRows(messages: readonly Message[] = MESSAGES): Sketch {
  const rows = messages.map(({ sender, subject, time }, index) => {
    const top = place(index)
    const whole = at(40, top, 1040, top + HEIGHT)
    const row = box(
      { 'content-desc': `${sender}, ${time}, ${subject}`, ...TOUCH, ...whole },
      text(sender, at(200, top + 10, 800, top + 70)),
      text(time, at(880, top + 10, 1030, top + 70)),
      text(subject, at(200, top + 80, 900, top + 140)),
    )
    return box(whole, box(whole, row))
  })
  const content = box(at(0, TOP, 1080, 2000), ...rows)
  return node({ class: 'android.widget.ScrollView', scrollable: 'true', ...at(0, TOP, 1080, 2000) }, content)
}

/** A row is one leaf whose description has several lines. */
export function drawFlutterRows(messages: readonly Message[] = MESSAGES): Sketch {
  const rows = messages.map(({ sender, subject, time }, index) => {
    const top = place(index)
    return node({ 'content-desc': `${sender}\n${subject}\n${time}`, ...TOUCH, ...at(0, top, 1080, top + HEIGHT) })
  })
  return node({ scrollable: 'true', ...at(0, TOP, 1080, 2000) }, ...rows)
}

/** A page in a browser: texts are plain views, rows are links. */
export function drawWebViewRows(messages: readonly Message[] = MESSAGES): Sketch {
  const rows = messages.map(({ sender, subject, time }, index) => {
    const top = place(index)
    return node(
      { ...TOUCH, ...at(30, top, 1050, top + HEIGHT) },
      node({ text: sender, ...at(30, top, 600, top + 60) }),
      node({ text: time, ...at(800, top, 1050, top + 60) }),
      node({ text: subject, ...at(30, top + 70, 1050, top + 130) }),
    )
  })
  const list = node({ class: 'android.widget.ListView', ...at(0, TOP, 1080, 2000) }, ...rows)
  return node({ class: 'android.webkit.WebView', scrollable: 'true', ...at(0, 200, 1080, 2000) }, list)
}

export const TOOLKITS = {
  view: drawViewRows,
  compose: drawComposeRows,
  'react native': drawReactNativeRows,
  flutter: drawFlutterRows,
  webview: drawWebViewRows,
} as const

/** A bar at the lower edge. The chosen tab takes no touch, as in Compose. */
export function drawTabs(chosen: string, names: readonly string[] = ['Inbox', 'Search', 'Settings']): Sketch {
  const width = 1080 / names.length
  const tabs = names.map((name, index) => {
    const [left, right] = [Math.round(index * width), Math.round((index + 1) * width)]
    const state = name === chosen ? { selected: 'true' } : TOUCH
    return node({ ...state, ...at(left, 2040, right, 2200) }, text(name, at(left + 40, 2130, right - 40, 2180)))
  })
  return node(at(0, 2040, 1080, 2200), ...tabs)
}

export function drawTitle(title: string): Sketch {
  return node(
    at(0, 80, 1080, 220),
    node({ class: 'android.widget.ImageButton', 'content-desc': 'Back', ...TOUCH, ...at(0, 80, 140, 220) }),
    text(title, at(160, 110, 700, 190)),
  )
}

/** A whole screen: a title, rows and tabs. */
export function drawScreen(rows: Sketch, title = 'Mail', chosen = 'Inbox'): Sketch {
  return box(at(0, 0, 1080, 2200), drawTitle(title), rows, drawTabs(chosen))
}

/** A strip of chips, as one line or wrapped. */
export function drawChips(names: readonly string[], perLine: number): Sketch {
  const chips = names.map((name, index) => {
    const [column, line] = [index % perLine, Math.floor(index / perLine)]
    const [left, top] = [40 + column * 250, 300 + line * 110]
    return node({ 'content-desc': name, ...TOUCH, ...at(left, top, left + 150 + name.length * 8, top + 90) })
  })
  return node({ scrollable: 'true', ...at(0, 290, 1080, 700) }, ...chips)
}
